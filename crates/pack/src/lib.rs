//! A final puppet and a layout to a moc3 model.
