//! What names are read as: every name of the surveyed files and conventions, in four languages.
//!
//! A line is `tag side suffix | name | name ...`, names with `/` are folder paths.

use parts::{Side, read_name};

#[track_caller]
fn check(table: &str) {
    let mut faults = Vec::new();
    let mut count = 0;
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (expected, names) = line.split_once('|').unwrap();
        for name in names.split('|').map(str::trim).filter(|name| !name.is_empty()) {
            count += 1;
            let mut path: Vec<String> = name.split('/').map(str::to_owned).collect();
            let leaf = path.pop().unwrap();
            let reading = read_name(&path, &leaf);
            let mut got = reading.tag.name().replace(' ', "_");
            if let Some(side) = reading.side {
                got.push(' ');
                got.push(side.letter());
                assert_eq!(side == Side::Left, side.letter() == 'L');
            }
            if let Some(suffix) = &reading.suffix {
                got.push(' ');
                got.push_str(suffix);
            }
            if got != expected.trim() {
                faults.push(format!("{name}: {got}, expected {}", expected.trim()));
            }
        }
    }
    println!("{count} names");
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn classes_of_see_through() {
    check(
        "back_hair | back hair | back_hair | Hair_Back | hair_back | backhair | HairBack | BACK HAIR
         front_hair | front hair | front_hair | Hair_Front | fronthair | hairfront | hairbang | bangs | fringe | hair_mid
         headwear | headwear | hat | cap | hair tie | hair pin | hairband | horns | tiara
         face | face | head | face_skin | head_base | Face | FACE | Head
         irides | irides | iris | pupil | eyeball | eye_highlight | Iris
         eyebrow | eyebrow | brow | eye_brow | EyeBrows | Brow
         eyewhite | eyewhite | eye_white | sclera | EyeWhite
         eyelash | eyelash | lash | eyeline | EyeLine | upper lid | eyelid
         eyewear | eyewear | glasses | sunglasses | goggles | goggles strap
         ears | ears | ear | cat ears | animal_ears
         earwear | earwear | earring | earrings
         nose | nose | Nose
         mouth | mouth | lips | Mouth
         neck | neck | Neck
         neckwear | neckwear | collar | scarf | tie | choker | necklace
         topwear | topwear | top_wear | clothes | torso | body | Body | body_remainder | armor | cape | robe front
         handwear | handwear | arm | hand | sleeves | gloves
         bottomwear | bottomwear | skirt | pants | underskirt | hakama | belt
         legwear | legwear | legs | socks | stockings
         footwear | footwear | shoes | boots | feet
         tail | tail | Tail
         wings | wings | wing
         objects | objects | prop | sword | staff | weapon
         facedetail | facedetail | blush | scar | tears | face shadow | eyeshadow
         tooth-t | tooth-t | tooth_t | upper teeth | teeth | fangs
         tooth-b | tooth-b | lower teeth
         tongue | tongue
         mouth_open | mouth_open | mouth open | open mouth | MouthOpen | mouth_o
         mouth_close | mouth_close | mouth closed | MouthClosed | mouth_c | closed mouth
         eye_close | eye_close | eyes closed | EyeClosed | eye_c | blink | closed_eye | eye smile
         unknown | mystery_charm | sigil | Layer | c1_x | headfluf | overlap | placket | pockets",
    );
}

#[test]
fn sides_and_numbers() {
    check(
        "eyebrow L | eyebrow-l | eyebrow_left | Brow_L | left eyebrow | eyebrow.L | eyebrow L | L_eyebrow | eyebrow(L) | [left] eyebrow | eyebrowLeft
         eyewhite R | eyewhite-r | eye_white_right | right eye white | EyeWhiteR | R eyewhite
         handwear L | arm_left | left_arm | leftarm | arm_L | hand-l | Arm_L_Front | Arm_L_Back
         handwear R | arm_right | right_arm | rightarm | handwear-r
         legwear L | left_leg | Leg_L
         legwear R | right_leg
         ears L | leftear | Ear_L | ear l
         irides R 1 | EyeR1 | iris_r_1 | r iris 1
         irides R 2 | EyeR2
         irides L 1 | EyeL1
         eyewhite L 1 | EyeWhiteL1
         eyelash R 1 | EyeLineR1
         eye_close R 1 | EyeClosedR1
         eye_close R 2 | EyeRClosed2
         ears R 2 | EarR2
         face 1 | Head1
         face 2 | Head2 | head2
         mouth_close 1 | MouthClosed1
         mouth_open 2 | MouthOpen2
         mouth_open aa | mouth open [AA]
         mouth_open ou | mouth open [OU]
         front_hair 1 | front hair_1 | front hair 1 | FrontHair1
         back_hair 2 | back hair_2 | back hair-2
         irides L | Eye_L__Iris | Eye_L__Iris__HighlightSmall | eyel
         front_hair | front hair copy | front hair copy 2 | 前髪のコピー | 前髪のコピー 2 | 前发 副本 | 앞머리 복사 | front hair コピー
         headwear 0 | accessory_bow_0 | ribbon 0
         headwear | accessory_ribbon | ribbon | c1_bowA",
    );
}

#[test]
fn japanese() {
    check(
        "back_hair | 後ろ髪 | 後髪 | うしろがみ | ポニーテール | ツインテ
         front_hair | 前髪 | まえがみ | 横髪 | もみあげ | アホ毛 | 前髪透かし | 触角
         headwear | 帽子 | 髪飾り | カチューシャ | リボン | 装飾 | ヘッドドレス
         face | 顔 | 輪郭 | かお
         facedetail | チーク | 頬紅 | 頬 | 涙 | 汗 | 赤面 | 顔影 | 顔の影 | 下まつ毛 | 顔のボタン
         eyewhite | 白目 | 目白
         eyewhite L | 左 眼白 | 左白目 | 白目左
         irides | 瞳 | 黒目 | ハイライト | 目のハイライト | 虹彩
         irides R | 右 瞳 | 右瞳 | 瞳（右） | 右目の瞳 | 右目
         eyelash | まつ毛 | まつげ | 上まつ毛 | アイライン | 二重
         eyelash R | 右 まつ毛
         eye_close | 目閉じ | 閉じ目
         eyebrow | 眉 | 眉毛 | まゆ | 通常眉 | 怒り眉 | 困り眉 | 上がり眉
         eyebrow 上 | 困り眉（上）
         eyebrow L | 左 眉 | 左眉 | 左の眉
         nose | 鼻
         mouth | 口 | くち | 唇 | 通常口
         mouth_open | 口開き | 開口
         mouth_close | 口閉じ | 閉口
         tooth-t | 歯 | 上歯
         tooth-b | 下歯
         tongue | 舌 | ベロ
         ears | 耳 | 猫耳 | けもみみ
         ears L | 左耳 | 耳_左
         earwear | ピアス | イヤリング | 耳飾り
         eyewear | メガネ | 眼鏡
         neck | 首 | くび
         neckwear | 襟 | マフラー | ネクタイ | 首輪 | 首飾り
         topwear | 服 | 上着 | 胴体 | 体 | 衣服 | 体操服
         bottomwear | スカート | ズボン
         handwear | 腕 | 手 | 袖 | 手袋
         handwear R | 右腕 | 右手 | みぎ腕
         legwear | 足 | 太もも | 靴下
         footwear | 靴 | ブーツ
         tail | 尻尾 | しっぽ
         wings | 羽 | 翼 | つばさ
         objects | 小物 | 武器
         unknown | 縫い目 | !縫い目 | 手前 | !アウトライン | 枠線
         unknown 1 | グループ 1 | べた塗り 1
         unknown 2 | フォルダー 2 | レイヤー 2",
    );
}

#[test]
fn chinese_and_korean() {
    check(
        "front_hair | 前发 | 刘海 | 侧发 | 呆毛 | 앞머리 | 옆머리
         back_hair | 后发 | 马尾 | 双马尾 | 뒷머리
         headwear | 头饰 | 发带 | 蝴蝶结 | 모자
         face | 脸 | 臉 | 脸部 | 面部 | 头部 | 얼굴
         facedetail | 腮红 | 红晕 | 홍조 | 볼터치
         eyewhite | 眼白 | 巩膜 | 흰자
         irides | 瞳孔 | 虹膜 | 眼珠 | 高光 | 눈동자
         irides L | 左眼珠 | 왼쪽 눈동자 | 왼쪽 눈
         irides R | 右瞳孔 | 오른쪽 눈
         eyelash | 睫毛 | 上睫毛 | 眼线 | 속눈썹
         eye_close | 闭眼 | 笑眼 | 감은눈
         eyebrow | 眉毛 | 눈썹
         eyebrow R | 右眉毛 | 右眉 | 오른쪽 눈썹
         nose | 鼻子 | 코
         mouth | 嘴 | 嘴巴 | 입
         mouth_open | 张嘴 | 开嘴
         mouth_close | 闭嘴
         tooth-t | 上牙 | 윗니
         tooth-b | 下牙
         tongue | 舌头 | 혀
         ears | 耳朵 | 귀
         earwear | 耳环 | 귀걸이
         eyewear | 眼镜 | 안경
         neck | 脖子 | 颈部 | 목
         neckwear | 围巾 | 领带 | 목걸이
         topwear | 上衣 | 衣服 | 身体 | 상의 | 옷
         bottomwear | 裙子 | 裤子 | 치마
         handwear | 手臂 | 袖子 | 팔 | 손
         handwear L | 左手 | 左手臂 | 왼팔
         legwear | 腿 | 大腿 | 다리
         footwear | 鞋 | 鞋子 | 신발
         tail | 尾巴 | 꼬리
         wings | 翅膀 | 날개
         objects | 道具
         unknown 3 | 图层 3
         unknown 2 | 레이어 2",
    );
}

#[test]
fn folders_tell() {
    check(
        "eyelash | 目/*開き | 目/開き
         eye_close | 目/*閉じ | eyes/closed | 目/閉じ目
         mouth_open | 口/*開き | mouth/open
         mouth_close | 口/*閉じ
         mouth_open あ | 顔/パーツ別/口/あ
         mouth 困る | 顔/パーツ別/口/困る
         mouth 笑み | 口/笑み
         eye_close 笑み | 顔/パーツ別/目/笑み
         eyelash 通常目 | 顔/パーツ別/目/通常目
         eyelash 苦痛 | 顔/パーツ別/目/苦痛
         eyebrow 通常 | 眉/通常
         facedetail 29 | 顔/パーツ別/汗/レイヤー 29
         facedetail | 顔/表情効果/チーク
         facedetail p0 赤面x | 表情効果/p0 赤面x
         nose | 顔/鼻
         facedetail a4 笑顔 | 顔/表情セット/a4 笑顔
         front_hair | 前髪/線画
         front_hair 2 | 前髪/影 2
         face | 顔/塗り | 顔/線画
         eyelash R | 右目/線画
         eyewhite R | 右目/ベース
         eyewhite R 1 | WholeModel/WholeHead1/WholeEyes/WholeEyeR1/EyeWhiteR1
         eyewhite R | WholeEyeR1/white
         eye_close L 1 | WholeModel/WholeHead1/WholeEyes/WholeEyeL1/EyeClosedL1
         mouth_open 1 | WholeModel/WholeHead1/WholeMouth/MouthOpen1
         eyebrow | WholeModel/WholeHead1/WholeEyes/EyeBrows
         face | head/head | 顔/ベース
         face 2 | head/head2
         objects | staff/staff
         objects 2 | staff/staff_2
         front_hair 3 | hair/Layer 3
         handwear L 3 | left arm/Layer 3
         unknown 1 | man1/グループ 1/レイヤー 1
         unknown | character/mystery_charm",
    );
}

#[test]
fn odd_names_are_read_without_panic() {
    let long = "eye".repeat(5000);
    for name in [
        "",
        " ",
        "/",
        "..",
        "\0",
        "😀",
        "]][[",
        "((L))",
        "__",
        "l",
        "R",
        "左",
        "*",
        "!",
        ":flipx",
        "1",
        long.as_str(),
    ] {
        let _ = read_name(&[name.to_owned()], name);
    }
}
