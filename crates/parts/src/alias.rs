//! What layers are called, in English, Chinese, Japanese and Korean.
//!
//! Sources: the classes of See-through, the aliases of CONTEXT 1.4, the conventions of LAYER_NAMES 3 and 4, and
//! names met in files. Words are lower case, parted by single spaces; a spelling without spaces or with other
//! separators is found by itself.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::Tag;

/// How far a word settles what a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// It does.
    Plain,
    /// An eye without telling which part of it, or all of it.
    Eye,
    /// Hair without telling front or back.
    Hair,
    /// An ornament: on the head, at the neck or on the clothes, told by its place.
    Ornament,
}

/// One alias found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) tag: Tag,
    pub(crate) hint: Hint,
}

/// The entry of exactly these words.
pub(crate) fn exact(words: &str) -> Option<Entry> {
    INDEX.spaced.get(words).or_else(|| INDEX.compact.get(words)).copied()
}

/// The entry whose words, written as one, are this.
pub(crate) fn compact(word: &str) -> Option<Entry> {
    INDEX.compact.get(word).copied()
}

struct Index {
    spaced: BTreeMap<&'static str, Entry>,
    compact: BTreeMap<String, Entry>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index { spaced: BTreeMap::new(), compact: BTreeMap::new() };
    for &(tag, hint, words) in TABLE {
        for alias in words.split('|').map(str::trim).filter(|alias| !alias.is_empty()) {
            let entry = Entry { tag, hint };
            index.spaced.insert(alias, entry);
            index.compact.insert(alias.replace(' ', ""), entry);
        }
    }
    index
});

use Hint::{Eye, Hair, Ornament, Plain};

/// Every alias; a later row wins.
#[rustfmt::skip]
const TABLE: &[(Tag, Hint, &str)] = &[
    (Tag::BackHair, Plain, "back hair|hair back|rear hair|hair rear|hair behind|behind hair|hair bk|long hair|ponytail|pony tail|twintail|twintails|twin tail|twin tails|pigtail|pigtails|hair tail|back hair tail|hair base"),
    (Tag::BackHair, Plain, "后发|后髪|後髮|后髮|后脑勺|后头发|后头|背发|马尾|馬尾|双马尾|雙馬尾|单马尾|辫子|后面头发"),
    (Tag::BackHair, Plain, "後ろ髪|後ろ髮|後髪|うしろ髪|うしろがみ|後頭部|背髪|ポニーテール|ポニテ|ツインテール|ツインテ|おさげ|後ろの髪|髪後ろ|髪後|後毛|後ろ毛"),
    (Tag::BackHair, Plain, "뒷머리|뒤머리|뒷머리카락|머리뒤|포니테일|트윈테일|양갈래"),
    (Tag::FrontHair, Plain, "front hair|hair front|bangs|bang|hair bangs|hair bang|fringe|hair fringe|side hair|hair side|sideburn|sideburns|side lock|side locks|sidelock|sidelocks|hair strand|strand|strands|ahoge|forelock|hair mid|mid hair|middle hair|hair knot|hair bun|bun|buns|hair top|top hair|hair antenna"),
    (Tag::FrontHair, Hair, "hair|hairs|hair all|hair fluff"),
    (Tag::FrontHair, Plain, "前发|前髮|前髪|刘海|瀏海|劉海|留海|侧发|側髮|侧髪|鬓角|鬓发|呆毛|前面头发|中发"),
    (Tag::FrontHair, Plain, "まえがみ|前がみ|側髪|横髪|よこがみ|もみあげ|揉み上げ|サイドヘア|サイド髪|サイド|アホ毛|あほ毛|前の髪|髪前|触角|お団子|前髪ハイライト|前毛|横毛"),
    (Tag::FrontHair, Hair, "髪|髪の毛|かみ|头发|頭髮|髮|머리|머리카락|헤어|ヘア"),
    (Tag::FrontHair, Plain, "앞머리|옆머리|머리앞|앞머리카락|바보털|더듬이"),
    (Tag::Headwear, Plain, "headwear|head wear|hat|cap|headband|head band|hairband|hair band|hair tie|hairpin|hair pin|hair clip|hairclip|hair ornament|hair accessory|hair accessories|hair ribbon|hair bow|head accessory|headdress|head dress|tiara|crown|horn|horns|halo|helmet|hood|veil|bonnet|headphone|headphones|headset|barrette|scrunchie|flower crown|beret|maid headdress|antlers"),
    (Tag::Headwear, Ornament, "ribbon|ribbons|bow|bows|ornament|flower|リボン|りぼん|蝴蝶结|飾り|装飾|装饰|髪飾|リボン飾り|리본|장식"),
    (Tag::Headwear, Plain, "帽子|帽|头饰|頭飾|发饰|髮飾|发带|髮帶|发卡|发夹|发箍|发圈|头带|头纱|角|皇冠|耳机"),
    (Tag::Headwear, Plain, "髪飾り|髪かざり|ヘアピン|ヘアアクセ|ヘアアクセサリー|カチューシャ|ぼうし|ヘッドドレス|ヘアバンド|ヘアゴム|ツノ|つの|王冠|ティアラ|ヘッドホン|ヘッドフォン|頭飾り|頭リボン|フード|鉢巻"),
    (Tag::Headwear, Plain, "모자|머리장식|머리띠|머리핀|뿔|왕관|머리끈|헤드셋|후드"),
    (Tag::Face, Plain, "face|head|face base|base face|face skin|skin face|head base|base head|head skin|head shape|face shape|face outline|face contour|face line|face color|head outline"),
    (Tag::Face, Plain, "脸|臉|脸部|面部|脸轮廓|脸部轮廓|脸蛋|头部|头|頭|脸型|脸皮|脸底|面|面庞"),
    (Tag::Face, Plain, "顔|かお|輪郭|りんかく|あたま|頭部|フェイス|顔ベース|顔輪郭|顔肌|素顔|顔下地|顔塗り|顔線"),
    (Tag::Face, Plain, "얼굴|얼굴형|얼굴윤곽|얼굴피부|두상"),
    (Tag::FaceDetail, Plain, "facedetail|face detail|face details|blush|blushes|blushing|cheek|cheeks|freckle|freckles|scar|scars|mole|moles|tear|tears|sweat|sweat drop|face shadow|face shade|face highlight|face paint|face mark|face marking|face tattoo|whisker|whiskers|beard|mustache|moustache|eye shadow|eyeshadow|makeup|nose shadow|lower lash|lower lashes|lower eyelash|bottom lash|wrinkle|wrinkles|dimple|vein|anger mark|anger vein|hair shadow on face|face effect|effects face|expression|expressions|emotion|emotions"),
    (Tag::FaceDetail, Plain, "脸部细节|面部细节|腮红|红晕|紅暈|脸颊|脸红|泪痕|眼泪|泪|淚|汗|汗水|疤|伤疤|痣|雀斑|胡子|脸影|脸部阴影|脸阴影|皱纹|面纹|眼影"),
    (Tag::FaceDetail, Plain, "ほほ|頬|頬紅|ほお|ほっぺ|チーク|紅潮|赤面|照れ|涙|なみだ|あせ|傷|ほくろ|そばかす|ひげ|ヒゲ|髭|顔影|顔の影|顔ハイライト|下まつ毛|下まつげ|下睫毛|表情効果|表情|表情セット|表情差分|青ざめ|怒りマーク|おでこ"),
    (Tag::FaceDetail, Plain, "볼|볼터치|홍조|뺨|눈물|땀|흉터|점|주근깨|수염|얼굴그림자|표정"),
    (Tag::Irides, Plain, "irides|iris|irises|pupil|pupils|eyeball|eyeballs|eye ball|eye color|eye highlight|eye highlights|highlight|highlights|catchlight|catch light|eye light|eye shine|eye pupil|eye iris|iris highlight|hitomi"),
    (Tag::Irides, Eye, "eye|eyes|目|め|眼|眼睛|眼部|눈|お目目|アイ"),
    (Tag::Irides, Plain, "瞳孔|虹膜|眼珠|眼球|眼黑|黑眼珠|高光|眼睛高光|眼部高光|瞳高光|眼神光|瞳仁"),
    (Tag::Irides, Plain, "瞳|ひとみ|黒目|目玉|ハイライト|目ハイライト|目のハイライト|瞳ハイライト|虹彩|眼の光|黒目ハイライト|光彩"),
    (Tag::Irides, Plain, "눈동자|동공|홍채|안구|하이라이트|눈하이라이트"),
    (Tag::Eyebrow, Plain, "eyebrow|eyebrows|brow|brows|eye brow|eye brows|眉毛|眉|まゆ毛|まゆげ|眉げ|まゆ|マユ|眉目|눈썹"),
    (Tag::Eyewhite, Plain, "eyewhite|eyewhites|eye white|eye whites|white eye|white of eye|whites|sclera|sclerae|eye base|眼白|白眼|巩膜|白眼球|白眼珠|白目|目白|しろめ|目の白|흰자|흰자위|눈흰자|白目影"),
    (Tag::Eyelash, Plain, "eyelash|eyelashes|lash|lashes|eye lash|eye lashes|upper lash|upper lashes|upper eyelash|eyeline|eye line|eye lines|eyeliner|eye liner|eye outline|upper lid|eyelid|eyelids|eye lid|lid|upper eyelid|eyelid crease|double eyelid|eyelid line"),
    (Tag::Eyelash, Plain, "睫毛|上睫毛|眼线|上眼线|下眼线|眼睫毛|眼眶|双眼皮|眼皮|眼睑"),
    (Tag::Eyelash, Plain, "まつ毛|まつげ|マツゲ|まつエク|上まつ毛|上まつげ|アイライン|上アイライン|二重|ふたえ|まぶた|瞼|目線画|目の線|目ライン"),
    (Tag::Eyelash, Plain, "속눈썹|윗속눈썹|아이라인|쌍꺼풀|눈꺼풀"),
    (Tag::Eyelash, Eye, "eye open|eyes open|open eye|open eyes|目開き|目開け|開き目|開目|睁眼|开眼|眼睛睁开|뜬눈|눈뜸"),
    (Tag::EyeClose, Plain, "eye close|eye closed|eyes close|eyes closed|eye c|eyes c|eyelash c|close eye|close eyes|closed eye|closed eyes|eye smile|smile eye|smiling eyes|eyes smile|blink|wink|eye shut|eyes shut|shut eye"),
    (Tag::EyeClose, Plain, "闭眼|閉眼|笑眼|眯眼|闭目|闭眼睛|眼睛闭合"),
    (Tag::EyeClose, Plain, "目閉じ|目とじ|閉じ目|とじ目|閉目|笑顔|笑い目|笑目|にっこり目|閉じた目|つぶり目|目つぶり|まばたき|瞬き|ウインク"),
    (Tag::EyeClose, Plain, "감은눈|눈감음|눈감은|감은 눈|닫은눈|웃는눈|눈웃음"),
    (Tag::Eyewear, Plain, "eyewear|glasses|eyeglasses|eye glasses|spectacles|sunglasses|goggles|monocle|eyepatch|eye patch|眼镜|眼鏡|墨镜|眼罩|めがね|メガネ|サングラス|ゴーグル|眼帯|안경|선글라스|안대|고글"),
    (Tag::Ears, Plain, "ears|ear|耳朵|耳|みみ|ミミ|귀|엘프귀|獣耳|けもみみ|ケモミミ|猫耳|ネコミミ|うさ耳|うさみみ|犬耳|狐耳|兽耳|兔耳|animal ear|animal ears|cat ear|cat ears|kemonomimi|bunny ear|bunny ears|fox ears|inner ear|고양이귀"),
    (Tag::Earwear, Plain, "earwear|ear wear|earring|earrings|ear ring|ear rings|ear accessory|piercing|ear cuff|耳环|耳環|耳饰|耳飾|耳坠|耳钉|耳飾り|イヤリング|ピアス|귀걸이|피어싱|귀고리"),
    (Tag::Nose, Plain, "nose|nostril|nostrils|nose line|鼻子|鼻|鼻梁|はな|ハナ|코|콧대"),
    (Tag::Mouth, Plain, "mouth|mouths|lip|lips|mouth line|mouth inside|mouth inner|inner mouth|mouth base|upper lip|lower lip|嘴|嘴巴|口|口内|口腔|嘴部|嘴唇|くち|クチ|唇|くちびる|口中|口の中|リップ|입|입술|입안"),
    (Tag::MouthOpen, Plain, "mouth open|mouth o|open mouth|mouth opened|opened mouth|mouth a|mouth aa|mouth oh|mouth ou|mouth ch|mouth ee|mouth ih|mouth talk|talking mouth|张嘴|張嘴|开口|開口|开嘴|開嘴|开嘴巴|口開き|口開け|開き口|口あけ|口開|口あき|あき口|벌린입|입벌림|입열림|열린입|입벌린"),
    (Tag::MouthClose, Plain, "mouth close|mouth closed|mouth c|close mouth|closed mouth|mouth shut|mouth neutral|闭嘴|閉嘴|闭口|閉口|口閉じ|口とじ|閉じ口|とじ口|口閉|閉じた口|다문입|입다뭄|닫힌입|입닫힘"),
    (Tag::ToothT, Plain, "tooth t|teeth t|upper tooth|upper teeth|top tooth|top teeth|teeth upper|teeth top|tooth upper|teeth|tooth|fang|fangs|上牙|上齿|牙|牙齿|上歯|歯|八重歯|윗니|이빨|치아|송곳니"),
    (Tag::ToothB, Plain, "tooth b|teeth b|lower tooth|lower teeth|bottom tooth|bottom teeth|teeth lower|teeth bottom|tooth lower|下牙|下齿|下歯|아랫니"),
    (Tag::Tongue, Plain, "tongue|舌头|舌頭|舌|ベロ|べろ|した|혀"),
    (Tag::Neck, Plain, "neck|neck base|neck skin|脖子|颈部|頸部|颈|脖|首|くび|首元|首肌|목"),
    (Tag::Neckwear, Plain, "neckwear|neck wear|collar|collars|scarf|tie|necktie|neck tie|bowtie|bow tie|choker|necklace|muffler|cravat|pendant|neck ribbon|neck accessory|领饰|領飾|围巾|圍巾|领带|领结|项链|衣领|领子|颈饰|项圈|マフラー|襟|えり|ネクタイ|チョーカー|ネックレス|首輪|首飾り|首リボン|スカーフ|蝶ネクタイ|ペンダント|목도리|넥타이|목걸이|초커|스카프|옷깃"),
    (Tag::Topwear, Plain, "topwear|top wear|top|tops|clothes|clothing|cloth|shirt|jacket|torso|body|upper body|bust|chest|coat|dress|vest|sweater|hoodie|blouse|uniform|costume|outfit|robe|kimono|armor|armour|cape|cloak|mantle|t shirt|cardigan|suit|haori|breast|breasts|body base|body skin|base body|shoulder|shoulders|body upper"),
    (Tag::Topwear, Plain, "上衣|上装|衣服|服装|服裝|服|身体|身體|躯干|軀幹|上身|上半身|胸|胸部|外套|衬衫|毛衣|裙装|连衣裙|披风|斗篷|肩|大衣|和服"),
    (Tag::Topwear, Plain, "体|からだ|カラダ|胴体|胴|ボディ|素体|上着|うわぎ|シャツ|ジャケット|コート|セーター|ワンピース|ドレス|制服|胸元|むね|着物|パーカー|マント|トップス|トルソー|肩掛け|ベスト|鎧|ブラウス"),
    (Tag::Topwear, Plain, "상의|옷|몸|몸통|상체|셔츠|자켓|코트|의상|드레스|원피스|가슴|망토|교복|몸체"),
    (Tag::Handwear, Plain, "handwear|hand wear|hand|hands|arm|arms|upper arm|lower arm|forearm|fore arm|sleeve|sleeves|glove|gloves|finger|fingers|wrist|bracelet|arm base|arm skin|cuff|cuffs|elbow|palm|gauntlet|gauntlets"),
    (Tag::Handwear, Plain, "手臂|手|手腕|袖|袖子|手套|胳膊|上臂|前臂|小臂|手指|手掌|臂|手部|腕|うで|上腕|そで|手袋|てぶくろ|ひじ|前腕|二の腕|指|手首|팔|손|소매|장갑|팔뚝|손가락|윗팔|아래팔"),
    (Tag::Bottomwear, Plain, "bottomwear|bottom wear|bottom|bottoms|pants|skirt|underskirt|trousers|shorts|jeans|hakama|apron|petticoat|belt|hip|hips|waist|pelvis|lower body|body lower|underwear|panties|skirt front|skirt back"),
    (Tag::Bottomwear, Plain, "下装|下裝|裤子|褲子|裤|裙子|裙|下身|下半身|短裤|腰带|腰|围裙|スカート|ズボン|ボトムス|パンツ|袴|エプロン|ベルト|こし|腰回り|ショートパンツ|하의|치마|바지|스커트|벨트|허리|앞치마|골반"),
    (Tag::Legwear, Plain, "legwear|leg wear|leg|legs|thigh|thighs|upper leg|lower leg|knee|knees|shin|calf|stocking|stockings|tights|sock|socks|legging|leggings|kneesocks|knee socks|thighhighs|腿|大腿|小腿|腿部|丝袜|长袜|袜|袜子|足|あし|太もも|太腿|ふともも|すね|ひざ|膝|タイツ|ストッキング|靴下|くつした|ソックス|ニーソ|脚部|다리|허벅지|종아리|양말|스타킹|무릎"),
    (Tag::Footwear, Plain, "footwear|foot wear|foot|feet|shoe|shoes|boot|boots|heel|heels|sandal|sandals|slipper|slippers|sneaker|sneakers|脚|腳|鞋|鞋子|靴子|靴|くつ|シューズ|ブーツ|足先|つま先|足首|足元|신발|발|부츠|구두"),
    (Tag::Tail, Plain, "tail|tails|tail tip|尾巴|尾|しっぽ|尻尾|シッポ|꼬리"),
    (Tag::Wings, Plain, "wings|wing|翅膀|翼|つばさ|羽|羽根|はね|翅|날개"),
    (Tag::Objects, Plain, "objects|object|prop|props|item|items|weapon|weapons|sword|gun|staff|wand|book|bag|backpack|shield|microphone|mic|umbrella|phone|cup|pouch|pouches|道具|物件|武器|剑|包|小物|こもの|アイテム|剣|杖|銃|かばん|カバン|鞄|本|マイク|スマホ|盾|소품|무기|물건|가방|검|지팡이"),
    (Tag::Objects, Ornament, "accessory|accessories|acc|饰品|飾品|アクセサリー|アクセ|액세서리|장신구"),
    // Words of two tongues: 脚 is a leg in Japanese and a foot in Chinese; beside 足 or 靴 the folder tells.
    (Tag::Legwear, Plain, "脚"),
];
