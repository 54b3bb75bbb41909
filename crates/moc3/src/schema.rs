//! The section table of the format (MOC3_FORMAT 5): one line per section.

use crate::Version;
use crate::element::{ColumnMut, ColumnRef, Element, Id, Stored};

/// What one section is.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Slot in the section offset table.
    pub slot: usize,
    /// Name, as in the specification.
    pub name: &'static str,
    /// What one entry is.
    pub element: Element,
    /// Entry of the count table that sizes it; `None` for reserved sections, which are empty.
    pub count: Option<Count>,
    /// First version that has it.
    pub since: Version,
}

/// Entries of the count table (section 0), in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each names what it counts; MOC3_FORMAT 3 lists them")]
pub enum Count {
    Parts,
    Deformers,
    Warps,
    Rotations,
    Meshes,
    Parameters,
    PartKeyforms,
    WarpKeyforms,
    RotationKeyforms,
    MeshKeyforms,
    Positions,
    AxisIndices,
    KeyformBindings,
    ParameterBindings,
    Keys,
    Uvs,
    Indices,
    Masks,
    Groups,
    GroupObjects,
    Glues,
    GlueInfos,
    GlueKeyforms,
    MultiplyColors,
    ScreenColors,
    BlendParameterBindings,
    BlendRecords,
    BlendWarps,
    BlendMeshes,
    LimitIndices,
    Limits,
    LimitPoints,
    BlendParts,
    BlendRotations,
    BlendGlues,
    Offscreens,
    OffscreenKeyforms,
}

/// Number of entries of the count table that mean something.
pub(crate) const COUNTS: usize = Count::OffscreenKeyforms as usize + 1;

/// Sections without content: scratch that the Core fills at run time, and reserved ones.
pub(crate) const FILLERS: [Section; 13] = [
    Section {
        slot: 2,
        name: "part.rt",
        element: Element::Scratch,
        count: Some(Count::Parts),
        since: Version::V30,
    },
    Section {
        slot: 10,
        name: "def.rt",
        element: Element::Scratch,
        count: Some(Count::Deformers),
        since: Version::V30,
    },
    Section {
        slot: 29,
        name: "mesh.rt0",
        element: Element::Scratch,
        count: Some(Count::Meshes),
        since: Version::V30,
    },
    Section {
        slot: 30,
        name: "mesh.rt1",
        element: Element::Scratch,
        count: Some(Count::Meshes),
        since: Version::V30,
    },
    Section {
        slot: 31,
        name: "mesh.rt2",
        element: Element::Scratch,
        count: Some(Count::Meshes),
        since: Version::V30,
    },
    Section {
        slot: 32,
        name: "mesh.rt3",
        element: Element::Scratch,
        count: Some(Count::Meshes),
        since: Version::V30,
    },
    Section {
        slot: 49,
        name: "param.rt",
        element: Element::Scratch,
        count: Some(Count::Parameters),
        since: Version::V30,
    },
    Section {
        slot: 89,
        name: "glue.rt",
        element: Element::Scratch,
        count: Some(Count::Glues),
        since: Version::V30,
    },
    Section {
        slot: 102,
        name: "param.rt2",
        element: Element::Scratch,
        count: Some(Count::Parameters),
        since: Version::V42,
    },
    Section {
        slot: 154,
        name: "off.rt",
        element: Element::Scratch,
        count: Some(Count::Offscreens),
        since: Version::V53,
    },
    Section { slot: 164, name: "res164", element: Element::U8, count: None, since: Version::V53 },
    Section { slot: 165, name: "res165", element: Element::U8, count: None, since: Version::V53 },
    Section { slot: 166, name: "res166", element: Element::U8, count: None, since: Version::V53 },
];

/// Makes [`Tables`] and the walk over its columns out of one list.
macro_rules! tables {
    ($($slot:literal $field:ident $name:literal $element:ident $count:ident $since:ident $doc:literal;)*) => {
        /// Every section with content, as columns, exactly as on disk.
        ///
        /// Columns that share a [`Count`] have the same length; columns newer than the version are empty.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Tables {
            $(#[doc = concat!("Section ", $slot, ": ", $doc)] pub $field: Vec<$element>,)*
        }

        /// The sections behind the fields of [`Tables`], in slot order.
        pub(crate) const COLUMNS: &[Section] = &[
            $(Section {
                slot: $slot,
                name: $name,
                element: <$element as Stored>::ELEMENT,
                count: Some(Count::$count),
                since: Version::$since,
            },)*
        ];

        impl Tables {
            /// The columns in the order of [`COLUMNS`].
            pub(crate) fn columns(&self) -> Vec<ColumnRef<'_>> {
                vec![$(Stored::column(&self.$field),)*]
            }
            /// The same, to be filled.
            pub(crate) fn columns_mut(&mut self) -> Vec<ColumnMut<'_>> {
                vec![$(Stored::column_mut(&mut self.$field),)*]
            }
        }
    };
}

tables! {
    3 part_id "part.id" Id Parts V30 "Part id.";
    4 part_binding "part.binding" i32 Parts V30 "Keyform binding index (driven by which axes).";
    5 part_kf_begin "part.kf_begin" i32 Parts V30 "First row in the part-keyform table (58).";
    6 part_kf_count "part.kf_count" i32 Parts V30 "Number of keyforms = grid size of the binding.";
    7 part_visible "part.visible" i32 Parts V30 "0/1; 0 makes the *initial* part opacity 0 (else 1).";
    8 part_enabled "part.enabled" i32 Parts V30 "0/1; 0 disables the part and everything inside.";
    9 part_parent "part.parent" i32 Parts V30 "Parent part index, -1 = root.";
    11 def_id "def.id" Id Deformers V30 "Deformer id.";
    12 def_binding "def.binding" i32 Deformers V30 "Keyform binding (must equal the specific record's).";
    13 def_visible "def.visible" i32 Deformers V30 "0/1, ignored by the Core.";
    14 def_enabled "def.enabled" i32 Deformers V30 "0/1; 0 hides all descendants.";
    15 def_parent_part "def.parent_part" i32 Deformers V30 "Part index or -1.";
    16 def_parent_def "def.parent_def" i32 Deformers V30 "Deformer index or -1.";
    17 def_type "def.type" i32 Deformers V30 "0 warp, 1 rotation.";
    18 def_specific "def.specific" i32 Deformers V30 "Index into the warp or rotation tables (0-based, in deformer order).";
    19 warp_binding "warp.binding" i32 Warps V30 "Keyform binding.";
    20 warp_kf_begin "warp.kf_begin" i32 Warps V30 "First row in warp-keyform table (59/60).";
    21 warp_kf_count "warp.kf_count" i32 Warps V30 "Grid size.";
    22 warp_vcount "warp.vcount" i32 Warps V30 "(rows+1)*(cols+1).";
    23 warp_rows "warp.rows" i32 Warps V30 "Cells vertically.";
    24 warp_cols "warp.cols" i32 Warps V30 "Cells horizontally.";
    25 rot_binding "rot.binding" i32 Rotations V30 "Keyform binding.";
    26 rot_kf_begin "rot.kf_begin" i32 Rotations V30 "First row in rotation-keyform table (61-67).";
    27 rot_kf_count "rot.kf_count" i32 Rotations V30 "Grid size.";
    28 rot_base_angle "rot.base_angle" f32 Rotations V30 "Degrees, added to every keyform angle.";
    33 mesh_id "mesh.id" Id Meshes V30 "Drawable id.";
    34 mesh_binding "mesh.binding" i32 Meshes V30 "Keyform binding.";
    35 mesh_kf_begin "mesh.kf_begin" i32 Meshes V30 "First row in mesh-keyform table (68-70).";
    36 mesh_kf_count "mesh.kf_count" i32 Meshes V30 "Grid size.";
    37 mesh_visible "mesh.visible" i32 Meshes V30 "0/1, ignored by the Core.";
    38 mesh_enabled "mesh.enabled" i32 Meshes V30 "0/1; 0 = never evaluated, never visible.";
    39 mesh_parent_part "mesh.parent_part" i32 Meshes V30 "Part index or -1.";
    40 mesh_parent_def "mesh.parent_def" i32 Meshes V30 "Deformer index or -1.";
    41 mesh_texture "mesh.texture" i32 Meshes V30 "Index into model3.json Textures (>=0).";
    42 mesh_flags "mesh.flags" u8 Meshes V30 "Drawable flags byte.";
    43 mesh_vcount "mesh.vcount" i32 Meshes V30 "Vertex count.";
    44 mesh_uv_begin "mesh.uv_begin" i32 Meshes V30 "First float in uv (78): running sum of 2*vcount.";
    45 mesh_idx_begin "mesh.idx_begin" i32 Meshes V30 "First entry in idx (79): running sum of idx_count.";
    46 mesh_idx_count "mesh.idx_count" i32 Meshes V30 "Number of triangle indices (3 per triangle).";
    47 mesh_mask_begin "mesh.mask_begin" i32 Meshes V30 "First entry in mask (80).";
    48 mesh_mask_count "mesh.mask_count" i32 Meshes V30 "Number of masks.";
    50 param_id "param.id" Id Parameters V30 "Parameter id.";
    51 param_max "param.max" f32 Parameters V30 "Maximum (stored before the minimum).";
    52 param_min "param.min" f32 Parameters V30 "Minimum.";
    53 param_def "param.def" f32 Parameters V30 "Default.";
    54 param_repeat "param.repeat" i32 Parameters V30 "0/1 wrap instead of clamp.";
    55 param_decimals "param.decimals" i32 Parameters V30 "Decimal places n >= 0; key snapping tolerance is 0.1^n; editor writes 3.";
    56 param_pb_begin "param.pb_begin" i32 Parameters V30 "First parameter binding (75/76) of this parameter.";
    57 param_pb_count "param.pb_count" i32 Parameters V30 "Number of parameter bindings of this parameter.";
    58 partkf_draw_order "partkf.draw_order" f32 PartKeyforms V30 "Part draw order.";
    59 warpkf_opacity "warpkf.opacity" f32 WarpKeyforms V30 "Opacity.";
    60 warpkf_pos_begin "warpkf.pos_begin" i32 WarpKeyforms V30 "First float in pos (71) of this keyform.";
    61 rotkf_opacity "rotkf.opacity" f32 RotationKeyforms V30 "Opacity.";
    62 rotkf_angle "rotkf.angle" f32 RotationKeyforms V30 "Degrees.";
    63 rotkf_ox "rotkf.ox" f32 RotationKeyforms V30 "Pivot x in parent space.";
    64 rotkf_oy "rotkf.oy" f32 RotationKeyforms V30 "Pivot y in parent space.";
    65 rotkf_scale "rotkf.scale" f32 RotationKeyforms V30 "Scale factor.";
    66 rotkf_reflect_x "rotkf.reflect_x" i32 RotationKeyforms V30 "0/1.";
    67 rotkf_reflect_y "rotkf.reflect_y" i32 RotationKeyforms V30 "0/1.";
    68 meshkf_opacity "meshkf.opacity" f32 MeshKeyforms V30 "Opacity.";
    69 meshkf_draw_order "meshkf.draw_order" f32 MeshKeyforms V30 "Draw order (float).";
    70 meshkf_pos_begin "meshkf.pos_begin" i32 MeshKeyforms V30 "First float in pos (71).";
    71 pos "pos" f32 Positions V30 "All keyform positions, x,y interleaved; each keyform padded to a multiple of 16 floats.";
    72 pbi "pbi" i32 AxisIndices V30 "Parameter-binding indices, one per axis of each keyform binding.";
    73 kb_begin "kb.begin" i32 KeyformBindings V30 "First entry in pbi.";
    74 kb_count "kb.count" i32 KeyformBindings V30 "Number of axes (0 = constant object).";
    75 pb_key_begin "pb.key_begin" i32 ParameterBindings V30 "First key in key (77).";
    76 pb_key_count "pb.key_count" i32 ParameterBindings V30 "Number of keys.";
    77 key "key" f32 Keys V30 "Key values.";
    78 uv "uv" f32 Uvs V30 "Texture coordinates u,v interleaved, v from the top.";
    79 idx "idx" u16 Indices V30 "Vertex indices local to the mesh.";
    80 mask "mask" i32 Masks V30 "Drawable indices used as masks; v6: offscreen masks first.";
    81 dog_obj_begin "dog.obj_begin" i32 Groups V30 "First draw order object.";
    82 dog_obj_count "dog.obj_count" i32 Groups V30 "Number of objects.";
    83 dog_total "dog.total" i32 Groups V30 "Drawables (+ v6 offscreen slots) in the whole subtree.";
    84 dog_max "dog.max" i32 Groups V30 "Largest draw order any direct child can take.";
    85 dog_min "dog.min" i32 Groups V30 "Smallest draw order any direct child can take.";
    86 dogo_type "dogo.type" i32 GroupObjects V30 "0 art mesh, 1 part.";
    87 dogo_index "dogo.index" i32 GroupObjects V30 "Mesh or part index.";
    88 dogo_group "dogo.group" i32 GroupObjects V30 "For a part: the group holding its contents, else -1.";
    90 glue_id "glue.id" Id Glues V30 "Glue id.";
    91 glue_binding "glue.binding" i32 Glues V30 "Keyform binding.";
    92 glue_kf_begin "glue.kf_begin" i32 Glues V30 "First row in gkf (100).";
    93 glue_kf_count "glue.kf_count" i32 Glues V30 "Grid size.";
    94 glue_mesh_a "glue.mesh_a" i32 Glues V30 "Drawable index A.";
    95 glue_mesh_b "glue.mesh_b" i32 Glues V30 "Drawable index B.";
    96 glue_info_begin "glue.info_begin" i32 Glues V30 "First entry in 98/99.";
    97 glue_info_count "glue.info_count" i32 Glues V30 "Entries = 2 * pairs.";
    98 gi_weight "gi.weight" f32 GlueInfos V30 "Per entry weight: A,B,A,B,...";
    99 gi_index "gi.index" u16 GlueInfos V30 "Vertex index: A,B,A,B,...";
    100 gkf_intensity "gkf.intensity" f32 GlueKeyforms V30 "Glue intensity.";
    101 warp_quad "warp.quad" i32 Warps V33 "0 = triangle split, 1 = bilinear (quad) inside the lattice.";
    103 param_key_begin "param.key_begin" i32 Parameters V42 "Start in key of the per-parameter key union.";
    104 param_key_count "param.key_count" i32 Parameters V42 "Size of that union (only feeds GetParameterKeyValues; 0 accepted).";
    105 warp_color_begin "warp.color_begin" i32 Warps V42 "First colour row of this warp (read by v4 only; later versions map each keyform).";
    106 rot_color_begin "rot.color_begin" i32 Rotations V42 "Same for rotations.";
    107 mesh_color_begin "mesh.color_begin" i32 Meshes V42 "Same for meshes.";
    108 mul_r "mul.r" f32 MultiplyColors V42 "Multiply colour rows.";
    109 mul_g "mul.g" f32 MultiplyColors V42 "Green.";
    110 mul_b "mul.b" f32 MultiplyColors V42 "Blue.";
    111 scr_r "scr.r" f32 ScreenColors V42 "Screen colour rows.";
    112 scr_g "scr.g" f32 ScreenColors V42 "Green.";
    113 scr_b "scr.b" f32 ScreenColors V42 "Blue.";
    114 param_type "param.type" i32 Parameters V42 "0 normal (drives keyform bindings), 1 blend shape (drives blend bindings only).";
    115 param_bspb_begin "param.bspb_begin" i32 Parameters V42 "First blend parameter binding.";
    116 param_bspb_count "param.bspb_count" i32 Parameters V42 "Number of blend parameter bindings.";
    117 bspb_key_begin "bspb.key_begin" i32 BlendParameterBindings V42 "First key in key (77).";
    118 bspb_key_count "bspb.key_count" i32 BlendParameterBindings V42 "Number of keys.";
    119 bspb_base_key "bspb.base_key" i32 BlendParameterBindings V42 "Index of the neutral key (contributes nothing).";
    120 bskb_bspb "bskb.bspb" i32 BlendRecords V42 "Blend parameter binding index.";
    121 bskb_kf_begin "bskb.kf_begin" i32 BlendRecords V42 "First keyform row in the target kind's keyform table.";
    122 bskb_kf_count "bskb.kf_count" i32 BlendRecords V42 "Number of delta rows: one per key.";
    123 bskb_ci_begin "bskb.ci_begin" i32 BlendRecords V42 "First entry in bsci (131).";
    124 bskb_ci_count "bskb.ci_count" i32 BlendRecords V42 "Number of limits.";
    125 bswarp_target "bswarp.target" i32 BlendWarps V42 "Warp index.";
    126 bswarp_bskb_begin "bswarp.bskb_begin" i32 BlendWarps V42 "First blend keyform binding.";
    127 bswarp_bskb_count "bswarp.bskb_count" i32 BlendWarps V42 "Number of blend records.";
    128 bsmesh_target "bsmesh.target" i32 BlendMeshes V42 "Mesh index.";
    129 bsmesh_bskb_begin "bsmesh.bskb_begin" i32 BlendMeshes V42 "First blend record.";
    130 bsmesh_bskb_count "bsmesh.bskb_count" i32 BlendMeshes V42 "Number of blend records.";
    131 bsci "bsci" i32 LimitIndices V42 "Constraint indices.";
    132 bsc_param "bsc.param" i32 Limits V42 "Limiting parameter.";
    133 bsc_val_begin "bsc.val_begin" i32 Limits V42 "First point.";
    134 bsc_val_count "bsc.val_count" i32 Limits V42 "Number of points.";
    135 bscv_key "bscv.key" f32 LimitPoints V42 "Parameter value of the point.";
    136 bscv_weight "bscv.weight" f32 LimitPoints V42 "Weight at the point.";
    137 warpkf_mul "warpkf.mul" i32 WarpKeyforms V50 "Multiply colour row of each warp keyform.";
    138 warpkf_scr "warpkf.scr" i32 WarpKeyforms V50 "Screen colour row.";
    139 rotkf_mul "rotkf.mul" i32 RotationKeyforms V50 "Multiply colour row of each rotation keyform.";
    140 rotkf_scr "rotkf.scr" i32 RotationKeyforms V50 "Screen colour row.";
    141 meshkf_mul "meshkf.mul" i32 MeshKeyforms V50 "Multiply colour row of each mesh keyform.";
    142 meshkf_scr "meshkf.scr" i32 MeshKeyforms V50 "Screen colour row.";
    143 bspart_target "bspart.target" i32 BlendParts V50 "Part index.";
    144 bspart_bskb_begin "bspart.bskb_begin" i32 BlendParts V50 "First blend record.";
    145 bspart_bskb_count "bspart.bskb_count" i32 BlendParts V50 "Number of blend records.";
    146 bsrot_target "bsrot.target" i32 BlendRotations V50 "Rotation index.";
    147 bsrot_bskb_begin "bsrot.bskb_begin" i32 BlendRotations V50 "First blend record.";
    148 bsrot_bskb_count "bsrot.bskb_count" i32 BlendRotations V50 "Number of blend records.";
    149 bsglue_target "bsglue.target" i32 BlendGlues V50 "Glue index.";
    150 bsglue_bskb_begin "bsglue.bskb_begin" i32 BlendGlues V50 "First blend record.";
    151 bsglue_bskb_count "bsglue.bskb_count" i32 BlendGlues V50 "Number of blend records.";
    152 part_offscreen "part.offscreen" i32 Parts V53 "Offscreen owned by the part or -1.";
    153 mesh_blend "mesh.blend" i32 Meshes V53 "Extended blend: colour | alpha<<8 (replaces flag bits 0-1 in v6).";
    155 off_owner "off.owner" i32 Offscreens V53 "Owner part index.";
    156 off_flags "off.flags" u8 Offscreens V53 "Flags byte as for drawables (editor writes 4).";
    157 off_blend "off.blend" i32 Offscreens V53 "Extended blend: colour | alpha<<8.";
    158 off_mask_begin "off.mask_begin" i32 Offscreens V53 "First entry in mask (80).";
    159 off_mask_count "off.mask_count" i32 Offscreens V53 "Number of masks.";
    160 partkf_offkf "partkf.offkf" i32 PartKeyforms V53 "Per part keyform: offscreen keyform row or -1.";
    161 offkf_opacity "offkf.opacity" f32 OffscreenKeyforms V53 "Offscreen opacity.";
    162 offkf_mul "offkf.mul" i32 OffscreenKeyforms V53 "Multiply colour row.";
    163 offkf_scr "offkf.scr" i32 OffscreenKeyforms V53 "Screen colour row.";
}

/// All sections of `version` after the count table and the canvas, in slot order, each with its place in
/// [`COLUMNS`] when it has content.
pub(crate) fn sections(version: Version) -> Vec<(&'static Section, Option<usize>)> {
    let columns = COLUMNS.iter().enumerate().map(|(place, section)| (section, Some(place)));
    let mut all: Vec<_> = columns.chain(FILLERS.iter().map(|section| (section, None))).collect();
    all.retain(|(section, _)| section.since <= version);
    all.sort_by_key(|(section, _)| section.slot);
    all
}
