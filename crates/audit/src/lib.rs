//! Integrity audits on a moc3 as read back.
