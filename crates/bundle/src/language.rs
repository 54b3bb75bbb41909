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
    ("ParamGroupFace", "顔", "脸", "얼굴"),
    ("ParamGroupEyes", "目", "眼睛", "눈"),
    ("ParamGroupBrows", "眉", "眉毛", "눈썹"),
    ("ParamGroupMouth", "口", "嘴", "입"),
    ("ParamGroupBody", "体", "身体", "몸"),
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
