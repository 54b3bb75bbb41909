//! Layer names that say nothing of what is drawn.

/// Words programs give to new layers and folders, lower case.
const DEFAULT_WORDS: [&str; 25] = [
    "layer",
    "paint layer",
    "raster layer",
    "vector layer",
    "group",
    "folder",
    "shape",
    "image",
    "new layer",
    "レイヤー",
    "ラスターレイヤー",
    "ベクターレイヤー",
    "新規レイヤー",
    "グループ",
    "フォルダー",
    "フォルダ",
    "图层",
    "圖層",
    "组",
    "新建图层",
    "레이어",
    "그룹",
    "새 레이어",
    "ebene",
    "calque",
];

/// Endings of copies, lower case.
const COPY_WORDS: [&str; 8] = ["のコピー", "コピー", "copy", "的副本", "副本", "拷贝", "복사본", "복사"];

/// A name a program gave, not the artist: empty, a number, or "Layer 3", "レイヤー 11", "グループ 1 のコピー 2".
pub fn is_default_name(name: &str) -> bool {
    let mut rest = name.trim().to_lowercase();
    loop {
        let shorter = rest.trim_end_matches(|c: char| c.is_numeric() || " _-.()".contains(c));
        let shorter = COPY_WORDS.iter().find_map(|word| shorter.strip_suffix(word)).unwrap_or(shorter);
        if shorter.len() == rest.len() {
            break;
        }
        rest = shorter.to_owned();
    }
    rest.is_empty() || DEFAULT_WORDS.contains(&rest.trim())
}

/// Words of shading that belongs into the layer it is clipped to, lower case.
const SHADING_WORDS: [&str; 44] = [
    "shadow",
    "shade",
    "shading",
    "highlight",
    "gradient",
    "gradation",
    "texture",
    "pattern",
    "tone",
    "gloss",
    "shine",
    "rim light",
    "rimlight",
    "lighting",
    "multiply",
    "overlay",
    "colour",
    "color",
    "fill",
    "影",
    "かげ",
    "陰",
    "グラデ",
    "ハイライト",
    "光",
    "柄",
    "模様",
    "色",
    "塗り",
    "乗算",
    "加算",
    "テクスチャ",
    "ツヤ",
    "阴影",
    "暗部",
    "亮部",
    "高光",
    "渐变",
    "纹理",
    "花纹",
    "그림자",
    "하이라이트",
    "명암",
    "무늬",
];

/// A name that speaks of shading.
pub(crate) fn is_shading_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SHADING_WORDS.iter().any(|word| name.contains(word))
}

/// Words for solid backgrounds, lower case.
const BACKGROUND_WORDS: [&str; 18] = [
    "background",
    "backdrop",
    "greenback",
    "green back",
    "green screen",
    "グリーンバック",
    "背景",
    "べた塗り",
    "ベタ塗り",
    "ベタ",
    "用紙",
    "下地",
    "backgroud",
    "纯色",
    "底色",
    "배경",
    "hintergrund",
    "paper",
];

/// A name that speaks of a background.
pub(crate) fn is_background_name(name: &str) -> bool {
    let name = name.trim().trim_start_matches(['!', '*']).to_lowercase();
    name == "bg"
        || name.starts_with("bg ")
        || name.starts_with("bg_")
        || BACKGROUND_WORDS.iter().any(|word| name.contains(word))
}

/// A rigger's pivot marker.
pub(crate) fn is_pivot_name(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    name.starts_with("pivot") || name.ends_with("_pivot") || name.ends_with(" pivot")
}
