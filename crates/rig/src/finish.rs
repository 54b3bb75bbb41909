//! What is added last: physics, motions, groups.

use puppet::{ParameterId, Puppet};

use crate::{Error, FinishSettings, Profile, motions, physics};

/// Adds physics, the standard motions and the blink and speech groups to a puppet, as far as its parameters allow.
/// What the puppet already has under the same id or name is kept.
///
/// # Errors
/// [`Error::Puppet`] with every fault of the result: what the document layer made of the rig cannot be packed.
pub fn finish(mut puppet: Puppet, settings: &FinishSettings) -> Result<Puppet, Error> {
    if settings.physics {
        let groups = physics::groups(&puppet, settings.profile == Profile::Natural);
        let new = groups.into_iter().filter(|g| !puppet.physics.iter().any(|p| p.id == g.id));
        let new: Vec<_> = new.collect();
        puppet.physics.splice(0..0, new);
    }
    if settings.motions {
        let all = motions::of(&puppet);
        let new = all.into_iter().filter(|m| !puppet.motions.iter().any(|p| p.name == m.name));
        let new: Vec<_> = new.collect();
        puppet.motions.splice(0..0, new);
    }
    let present = |ids: &[&str]| -> Vec<ParameterId> {
        ids.iter().map(|id| ParameterId::from(*id)).filter(|id| puppet.parameter(id).is_some()).collect()
    };
    let (blink, lips) = (present(&["ParamEyeLOpen", "ParamEyeROpen"]), present(&["ParamMouthOpenY"]));
    if puppet.eye_blink.is_empty() {
        puppet.eye_blink = blink;
    }
    if puppet.lip_sync.is_empty() {
        puppet.lip_sync = lips;
    }
    let faults = puppet::validate::validate(&puppet);
    if faults.is_empty() { Ok(puppet) } else { Err(Error::Puppet(faults)) }
}
