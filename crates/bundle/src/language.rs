//! Display names in four languages. Ids never change; only what people read does.

use canonical::Canonical;
use serde::{Deserialize, Serialize};

/// A language of display names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English: the names that the rig gives.
    #[default]
    En,
    /// Japanese.
    Ja,
    /// Chinese.
    Zh,
    /// Korean.
    Ko,
}

/// (id, Japanese, Chinese, Korean), as the official editor and its users name them.
const NAMES: &[(&str, &str, &str, &str)] = &[
    ("ParamAngleX", "角度 X", "角度 X", "각도 X"),
    ("ParamAngleY", "角度 Y", "角度 Y", "각도 Y"),
    ("ParamAngleZ", "角度 Z", "角度 Z", "각도 Z"),
    ("ParamEyeLOpen", "左目 開閉", "左眼 开闭", "왼쪽 눈 개폐"),
    ("ParamEyeROpen", "右目 開閉", "右眼 开闭", "오른쪽 눈 개폐"),
    ("ParamEyeLSmile", "左目 笑顔", "左眼 微笑", "왼쪽 눈 웃음"),
    ("ParamEyeRSmile", "右目 笑顔", "右眼 微笑", "오른쪽 눈 웃음"),
    ("ParamEyeBallX", "目玉 X", "眼珠 X", "눈동자 X"),
    ("ParamEyeBallY", "目玉 Y", "眼珠 Y", "눈동자 Y"),
    ("ParamEyeBallForm", "目玉 変形", "眼珠 变形", "눈동자 변형"),
    ("ParamBrowLY", "左眉 上下", "左眉 上下", "왼쪽 눈썹 상하"),
    ("ParamBrowRY", "右眉 上下", "右眉 上下", "오른쪽 눈썹 상하"),
    ("ParamMouthForm", "口 変形", "嘴 变形", "입 변형"),
    ("ParamMouthOpenY", "口 開閉", "嘴 开闭", "입 개폐"),
    ("ParamBodyAngleX", "体の回転 X", "身体旋转 X", "몸 회전 X"),
    ("ParamBodyAngleY", "体の回転 Y", "身体旋转 Y", "몸 회전 Y"),
    ("ParamBodyAngleZ", "体の回転 Z", "身体旋转 Z", "몸 회전 Z"),
    ("ParamBreath", "呼吸", "呼吸", "호흡"),
    ("ParamHairFront", "髪揺れ 前", "头发摇动 前", "머리카락 흔들림 앞"),
    ("ParamHairBack", "髪揺れ 後", "头发摇动 后", "머리카락 흔들림 뒤"),
    ("ParamHairBackTip", "髪揺れ 後 毛先", "头发摇动 后 发梢", "머리카락 흔들림 뒤 끝"),
    ("ParamHairSideL", "髪揺れ 横 左", "头发摇动 侧 左", "머리카락 흔들림 왼쪽 옆"),
    ("ParamHairSideR", "髪揺れ 横 右", "头发摇动 侧 右", "머리카락 흔들림 오른쪽 옆"),
    ("ParamHairTail", "結び髪 揺れ", "马尾 摇动", "묶은 머리 흔들림"),
    ("ParamHairTailTip", "結び髪 毛先", "马尾 发梢", "묶은 머리 끝"),
    ("ParamHairTailL", "結び髪 揺れ 左", "马尾 摇动 左", "왼쪽 묶은 머리 흔들림"),
    ("ParamHairTailTipL", "結び髪 毛先 左", "马尾 发梢 左", "왼쪽 묶은 머리 끝"),
    ("ParamHairTailR", "結び髪 揺れ 右", "马尾 摇动 右", "오른쪽 묶은 머리 흔들림"),
    ("ParamHairTailTipR", "結び髪 毛先 右", "马尾 发梢 右", "오른쪽 묶은 머리 끝"),
    ("ParamHairAhoge", "アホ毛", "呆毛", "바보털"),
    ("ParamRibbon", "リボン", "蝴蝶结", "리본"),
    ("ParamRibbonL", "リボン 左", "蝴蝶结 左", "왼쪽 리본"),
    ("ParamRibbonR", "リボン 右", "蝴蝶结 右", "오른쪽 리본"),
    ("ParamEarringL", "イヤリング 左", "耳环 左", "왼쪽 귀걸이"),
    ("ParamEarringR", "イヤリング 右", "耳环 右", "오른쪽 귀걸이"),
    ("ParamEarL", "耳 左", "耳朵 左", "왼쪽 귀"),
    ("ParamEarR", "耳 右", "耳朵 右", "오른쪽 귀"),
    ("ParamNeckwear", "襟飾り", "领饰", "목 장식"),
    ("ParamArmSwayL", "左腕 揺れ", "左臂 摇动", "왼팔 흔들림"),
    ("ParamArmSwayR", "右腕 揺れ", "右臂 摇动", "오른팔 흔들림"),
    ("ParamSkirt", "スカート", "裙子", "치마"),
    ("ParamTail1", "しっぽ 根元", "尾巴 根部", "꼬리 뿌리"),
    ("ParamTail2", "しっぽ 先", "尾巴 尖部", "꼬리 끝"),
    ("ParamWingL", "左の翼", "左翼", "왼쪽 날개"),
    ("ParamWingR", "右の翼", "右翼", "오른쪽 날개"),
    ("ParamArmLA", "左腕", "左上臂", "왼쪽 팔"),
    ("ParamArmLB", "左前腕", "左前臂", "왼쪽 팔뚝"),
    ("ParamHandL", "左手", "左手", "왼쪽 손"),
    ("ParamLegLA", "左腿", "左大腿", "왼쪽 다리"),
    ("ParamLegLB", "左脛", "左小腿", "왼쪽 종아리"),
    ("ParamFootL", "左足", "左脚", "왼쪽 발"),
    ("ParamArmRA", "右腕", "右上臂", "오른쪽 팔"),
    ("ParamArmRB", "右前腕", "右前臂", "오른쪽 팔뚝"),
    ("ParamHandR", "右手", "右手", "오른쪽 손"),
    ("ParamLegRA", "右腿", "右大腿", "오른쪽 다리"),
    ("ParamLegRB", "右脛", "右小腿", "오른쪽 종아리"),
    ("ParamFootR", "右足", "右脚", "오른쪽 발"),
    ("ParamGroupFace", "顔", "脸", "얼굴"),
    ("ParamGroupEyes", "目", "眼睛", "눈"),
    ("ParamGroupBrows", "眉", "眉毛", "눈썹"),
    ("ParamGroupMouth", "口", "嘴", "입"),
    ("ParamGroupBody", "体", "身体", "몸"),
    ("ParamGroupSkeleton", "ボーン", "骨骼", "본"),
    ("ParamGroupPhysics", "揺れ", "摇动", "흔들림"),
    ("ParamGroupSwitches", "切り替え", "切换", "전환"),
    ("PartHead", "頭", "头部", "머리"),
    ("PartHairFront", "前髪", "前发", "앞머리"),
    ("PartHairBack", "後ろ髪", "后发", "뒷머리"),
    ("PartFace", "顔", "脸部", "얼굴"),
    ("PartHeadAccessories", "頭の飾り", "头饰", "머리 장식"),
    ("PartExtra", "その他", "其他", "기타"),
    ("PartBody", "体", "身体", "몸"),
];

impl Language {
    /// The name of an object with this id, `given` when the language has none.
    pub(crate) fn name<'a>(self, id: &str, given: &'a str) -> &'a str {
        let row = NAMES.iter().find(|row| row.0 == id);
        match (self, row) {
            (Self::En, _) | (_, None) => given,
            (Self::Ja, Some(row)) => row.1,
            (Self::Zh, Some(row)) => row.2,
            (Self::Ko, Some(row)) => row.3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_what_has_no_name_keeps_its_own() {
        let mut ids: Vec<&str> = NAMES.iter().map(|row| row.0).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), NAMES.len());
        assert_eq!(Language::Ja.name("ParamBreath", "Breath"), "呼吸");
        assert_eq!(Language::En.name("ParamBreath", "Breath"), "Breath");
        assert_eq!(Language::Ko.name("ParamMine", "Mine"), "Mine");
    }
}
