//! Files of one layer, byte by byte.

use psd::{Error, Limits};

/// Enough for every test, little enough to notice waste.
pub(crate) const LIMITS: Limits =
    Limits { max_side: 300_000, max_layers: 16_384, max_depth: 64, max_pixel_bytes: 1 << 26 };

/// A file of one layer, made by hand.
pub(crate) struct ByHand {
    pub(crate) psb: bool,
    pub(crate) side: u32,
    pub(crate) count: i16,
    pub(crate) rect: [i32; 4],
    pub(crate) channels: Vec<(i16, Vec<u8>)>,
    /// Added to each channel's stated length.
    pub(crate) length_error: u32,
    pub(crate) extra: Vec<u8>,
}

impl Default for ByHand {
    fn default() -> Self {
        let opaque = vec![0, 0, 1, 2, 3, 4];
        Self {
            psb: false,
            side: 2,
            count: 1,
            rect: [0, 0, 2, 2],
            channels: (-1..3).map(|id| (id, opaque.clone())).collect(),
            length_error: 0,
            extra: vec![0; 12],
        }
    }
}

impl ByHand {
    fn length(&self, out: &mut Vec<u8>, length: usize) {
        if self.psb {
            out.extend((length as u64).to_be_bytes());
        } else {
            out.extend((length as u32).to_be_bytes());
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut info = self.count.to_be_bytes().to_vec();
        info.extend(self.rect.iter().flat_map(|edge| edge.to_be_bytes()));
        info.extend((self.channels.len() as u16).to_be_bytes());
        for (id, data) in &self.channels {
            info.extend(id.to_be_bytes());
            self.length(&mut info, data.len() + self.length_error as usize);
        }
        info.extend(b"8BIMnorm\xff\0\0\0");
        info.extend((self.extra.len() as u32).to_be_bytes());
        info.extend(&self.extra);
        info.extend(self.channels.iter().flat_map(|(_, data)| data));

        let mut out = b"8BPS\0".to_vec();
        out.push(if self.psb { 2 } else { 1 });
        out.extend([0, 0, 0, 0, 0, 0, 0, 3]);
        out.extend(self.side.to_be_bytes());
        out.extend(self.side.to_be_bytes());
        out.extend([0, 8, 0, 3]);
        out.extend([0; 8]);
        self.length(&mut out, info.len() + if self.psb { 8 } else { 4 });
        self.length(&mut out, info.len());
        out.extend(info);
        out.extend([0; 14]);
        out
    }

    pub(crate) fn read(&self) -> Result<psd::Document, Error> {
        psd::read(&self.bytes(), &LIMITS)
    }
}
