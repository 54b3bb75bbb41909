"""Writes goldens/*.txt: what psd-tools makes of each file, one line a layer, pixels as SHA-256.

usage: goldens.py DATA_FOLDER     (the folder that holds psd-robust/ and characters/)

A file is named by the SHA-256 of its bytes (16 digits). Lines, tab separated:
  file NAME | canvas WIDTH HEIGHT MODE DEPTH | rejected (psd-tools refuses the file)
  flat DIGEST                                  (no layers: the merged image)
  group|layer PATH VISIBLE OPACITY FILL BLEND CLIPPING ID RECT DIGEST MASK     (bottom to top, folders after children)
PATH: names joined by "/", with % and / and control characters as %XX. RECT: left,top,right,bottom.
DIGEST: of RGBA with RGB zeroed where A is 0; "-" without pixels; "?" where psd-tools is no reference (CMYK, Lab).
MASK: RECT OUTSIDE DIGEST joined by ":".
8-bit pixels are topil(apply_icc=False); 16-bit ones the stored samples, rounded x * 255 / 65535; 32-bit ones topil.
"""
import hashlib
import logging
import pathlib
import sys
import warnings

import numpy as np
from psd_tools import PSDImage
from psd_tools.api import pil_io
from psd_tools.constants import Clipping, ColorMode, Tag

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
REFERENCE = (ColorMode.RGB, ColorMode.GRAYSCALE, ColorMode.BITMAP, ColorMode.INDEXED, ColorMode.DUOTONE)


def escape(name):
    special = lambda c: c in "%/" or c < " " or "\x7f" <= c < "\xa0"
    return "".join("".join("%%%02X" % b for b in c.encode()) if special(c) else c for c in name)


def digest(rgba):
    rgba = rgba.copy()
    rgba[rgba[..., 3] == 0] = 0
    return hashlib.sha256(np.ascontiguousarray(rgba).tobytes()).hexdigest()[:32]


def narrow16(data, shape):
    return ((np.frombuffer(data, ">u2").reshape(shape).astype(np.uint32) + 128) // 257).astype(np.uint8)


def rgba_of(image):
    return np.array(image.convert("RGBA"))


def layer_digest(psd, layer):
    record = layer._record
    width, height = record.width, record.height
    # topil() is None as soon as one of the extra channels is empty; only the mode's own count here.
    inks = {ColorMode.RGB: 3, ColorMode.GRAYSCALE: 1, ColorMode.DUOTONE: 1, ColorMode.CMYK: 4, ColorMode.LAB: 3}.get(
        psd.color_mode, 1)
    data = {int(i.id): c for i, c in zip(record.channel_info, layer._channels)}
    if width <= 0 or height <= 0 or not any(c in data and len(data[c].data) for c in range(inks)):
        return "-"
    if psd.color_mode not in REFERENCE:
        return "?"
    if psd.depth != 16:
        image = pil_io.convert_layer_to_pil(layer, None, False)
        return digest(rgba_of(image))
    plane = lambda i: narrow16(data[i].get_data(width, height, 16, psd.version), (height, width))
    alpha = plane(-1) if -1 in data and len(data[-1].data) else np.full((height, width), 255, np.uint8)
    colors = [plane(i) for i in range(inks)]
    return digest(np.dstack((colors if inks == 3 else colors * 3) + [alpha]))


def density(mask):
    """One density for the whole channel, where there is one: 255 hides all that the mask hides."""
    if mask.parameters is None:
        return 255
    user = 255 if mask.parameters.user_mask_density is None else mask.parameters.user_mask_density
    vector = 255 if mask.parameters.vector_mask_density is None else mask.parameters.vector_mask_density
    if not mask.flags.user_mask_from_render:
        return user
    return vector if user in (255, vector) else 255


def thin(values, density):
    return (255 - ((255 - np.asarray(values, np.int64)) * density + 127) // 255).astype(np.uint8)


def mask_text(psd, layer):
    mask = layer._record.mask_data
    data = {int(i.id): c for i, c in zip(layer._record.channel_info, layer._channels)}
    if mask is None or mask.flags.mask_disabled or -2 not in data:
        return "-"
    width, height = mask.width, mask.height
    if width <= 0 or height <= 0:
        return "-" if mask.background_color == 255 else "empty:%d" % thin(mask.background_color, density(mask))
    stored = data[-2].get_data(width, height, psd.depth, psd.version)
    if psd.depth == 16:
        values = narrow16(stored, (height, width))
    elif psd.depth == 32:
        values = np.clip(np.frombuffer(stored, ">f4") * 256, 0, 255).astype(np.uint8)
    else:
        values = np.frombuffer(stored, np.uint8)
    rect = "%d,%d,%d,%d" % (mask.left, mask.top, mask.right, mask.bottom)
    values, outside = thin(values, density(mask)), thin(mask.background_color, density(mask))
    return "%s:%d:%s" % (rect, outside, hashlib.sha256(values.tobytes()).hexdigest()[:32])


def lines_of(psd, layers, path):
    for layer in layers:
        record = layer._record
        here = path + [escape(layer.name)]
        if layer.is_group():
            yield from lines_of(psd, layer, here)
        fill = record.tagged_blocks.get_data(Tag.BLEND_FILL_OPACITY, 255)
        number = record.tagged_blocks.get_data(Tag.LAYER_ID, None)
        pixels = "-" if layer.is_group() else layer_digest(psd, layer)
        rect = "%d,%d,%d,%d" % (record.left, record.top, record.right, record.bottom) if pixels != "-" else "-"
        yield "\t".join([
            "group" if layer.is_group() else "layer", "/".join(here), str(int(layer.visible)), str(layer.opacity),
            str(int(fill)), layer.blend_mode.value.decode(), str(int(record.clipping == Clipping.NON_BASE)),
            "-" if number is None else str(int(number)), rect, pixels, mask_text(psd, layer)])


def flat(psd):
    if psd.color_mode not in REFERENCE:
        return "flat\t?"
    if psd.depth != 16:
        image = psd.topil(apply_icc=False)
        return "flat\t" + digest(rgba_of(image.convert("RGB") if image.mode in "1P" else image))
    planes = psd._record.image_data.get_data(psd._record.header)
    inks = 3 if psd.color_mode == ColorMode.RGB else 1
    if len(planes) > inks:
        return "flat\t?"
    shape = (psd.height, psd.width)
    colors = [narrow16(p, shape) for p in planes[:inks]]
    return "flat\t" + digest(np.dstack((colors if inks == 3 else colors * 3) + [np.full(shape, 255, np.uint8)]))


def golden(path):
    yield "file\t" + path.name
    try:
        psd = PSDImage.open(path)
    except Exception:
        yield "rejected"
        return
    yield "canvas\t%d\t%d\t%s\t%d" % (psd.width, psd.height, psd.color_mode.name, psd.depth)
    layers = list(lines_of(psd, psd, []))
    yield from layers or [flat(psd)]


def main():
    out = pathlib.Path(__file__).parent / "goldens"
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*.ps[db]")):
        name = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        try:
            text = list(golden(path))
        except Exception as error:
            print(path.name, type(error).__name__, error)
            continue
        (out / (name + ".txt")).write_text("\n".join(text) + "\n")


main()
