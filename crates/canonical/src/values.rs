//! Encodings of the standard types and of digests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use crate::{BlobRef, Canonical, Digest, Encoder};

macro_rules! integers {
    ($($kind:literal $($int:ty)*;)*) => {$($(
        impl Canonical for $int {
            fn encode(&self, out: &mut Encoder) {
                out.raw(&[$kind, size_of::<$int>() as u8]);
                out.raw(&self.to_le_bytes());
            }

            fn encode_list(items: &[Self], out: &mut Encoder) {
                out.packed($kind, size_of::<$int>() as u8, items.len());
                items.iter().for_each(|item| out.raw(&item.to_le_bytes()));
            }
        }
    )*)*};
}

integers! {
    b'u' u16 u32 u64 u128;
    b'i' i8 i16 i32 i64 i128;
}

impl Canonical for u8 {
    fn encode(&self, out: &mut Encoder) {
        out.raw(&[b'u', 1, *self]);
    }

    fn encode_list(items: &[Self], out: &mut Encoder) {
        out.byte_string(items);
    }
}

impl Canonical for usize {
    fn encode(&self, out: &mut Encoder) {
        (*self as u64).encode(out);
    }

    fn encode_list(items: &[Self], out: &mut Encoder) {
        out.packed(b'u', 8, items.len());
        items.iter().for_each(|item| out.length(*item));
    }
}

impl Canonical for isize {
    fn encode(&self, out: &mut Encoder) {
        (*self as i64).encode(out);
    }

    fn encode_list(items: &[Self], out: &mut Encoder) {
        out.packed(b'i', 8, items.len());
        items.iter().for_each(|item| out.raw(&(*item as i64).to_le_bytes()));
    }
}

/// The bits, with one zero (-0.0 + 0.0 is +0.0 and every other number stays itself) and no NaN.
macro_rules! raw_float {
    ($float:expr, $out:expr) => {{
        if $float.is_nan() {
            $out.not_a_number();
        }
        $out.raw(&($float + 0.0).to_bits().to_le_bytes());
    }};
}
macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Canonical for $float {
            fn encode(&self, out: &mut Encoder) {
                out.raw(&[b'f', size_of::<$float>() as u8]);
                raw_float!(*self, out);
            }

            fn encode_list(items: &[Self], out: &mut Encoder) {
                out.packed(b'f', size_of::<$float>() as u8, items.len());
                items.iter().for_each(|item| raw_float!(*item, out));
            }
        }
    )*};
}

floats!(f32 f64);

impl Canonical for bool {
    fn encode(&self, out: &mut Encoder) {
        out.raw(&[b'b', u8::from(*self)]);
    }

    fn encode_list(items: &[Self], out: &mut Encoder) {
        out.packed(b'b', 1, items.len());
        items.iter().for_each(|item| out.tag(u8::from(*item)));
    }
}

impl Canonical for char {
    fn encode(&self, out: &mut Encoder) {
        out.tag(b'c');
        out.raw(&u32::from(*self).to_le_bytes());
    }
}

impl Canonical for str {
    fn encode(&self, out: &mut Encoder) {
        out.tag(b's');
        out.text(self);
    }
}

impl Canonical for String {
    fn encode(&self, out: &mut Encoder) {
        self.as_str().encode(out);
    }
}

impl Canonical for Digest {
    fn encode(&self, out: &mut Encoder) {
        out.tag(b'd');
        out.raw(self.as_bytes());
    }
}

impl Canonical for BlobRef {
    fn encode(&self, out: &mut Encoder) {
        out.structure("BlobRef", |fields| {
            fields.field("digest", &self.digest);
            fields.field("len", &self.len);
        });
    }
}

impl<T: Canonical> Canonical for Option<T> {
    fn encode(&self, out: &mut Encoder) {
        match self {
            None => out.tag(b'n'),
            Some(value) => {
                out.tag(b'o');
                value.encode(out);
            }
        }
    }
}

impl<T: Canonical> Canonical for [T] {
    fn encode(&self, out: &mut Encoder) {
        T::encode_list(self, out);
    }
}

impl<T: Canonical, const N: usize> Canonical for [T; N] {
    fn encode(&self, out: &mut Encoder) {
        T::encode_list(self, out);
    }
}

impl<T: Canonical> Canonical for Vec<T> {
    fn encode(&self, out: &mut Encoder) {
        T::encode_list(self, out);
    }
}

impl<T: Canonical + Clone> Canonical for VecDeque<T> {
    fn encode(&self, out: &mut Encoder) {
        match self.as_slices() {
            (items, []) => T::encode_list(items, out),
            (head, tail) => T::encode_list(&[head, tail].concat(), out),
        }
    }
}

impl<T: Canonical> Canonical for BTreeSet<T> {
    fn encode(&self, out: &mut Encoder) {
        out.tag(b'e');
        out.length(self.len());
        self.iter().for_each(|item| item.encode(out));
    }
}

impl<K: Canonical, V: Canonical> Canonical for BTreeMap<K, V> {
    fn encode(&self, out: &mut Encoder) {
        out.tag(b'm');
        out.length(self.len());
        for (key, value) in self {
            key.encode(out);
            value.encode(out);
        }
    }
}

impl<T: Canonical + ToOwned + ?Sized> Canonical for Cow<'_, T> {
    fn encode(&self, out: &mut Encoder) {
        self.as_ref().encode(out);
    }
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T: Canonical + ?Sized> Canonical for $pointer {
            fn encode(&self, out: &mut Encoder) {
                (**self).encode(out);
            }
        }
    )*};
}

pointers!(&T Box<T> Rc<T> Arc<T>);

macro_rules! tuples {
    ($($count:literal $($item:ident)*;)*) => {$(
        #[expect(non_snake_case, reason = "one identifier names the item's type and its binding")]
        impl<$($item: Canonical),*> Canonical for ($($item,)*) {
            fn encode(&self, out: &mut Encoder) {
                out.tag(b't');
                out.length($count);
                let ($($item,)*) = self;
                $($item.encode(out);)*
            }
        }
    )*};
}

impl Canonical for () {
    fn encode(&self, out: &mut Encoder) {
        out.tag(b't');
        out.length(0);
    }
}

tuples! {
    1 A;
    2 A B;
    3 A B C;
    4 A B C D;
    5 A B C D E;
    6 A B C D E F;
    7 A B C D E F G;
    8 A B C D E F G H;
}
