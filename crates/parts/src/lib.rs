//! Clean layers to named body parts: tags, sides, anchors, head tilt, face measures.
