//! Expressions that set the switches of alternatives.

use puppet::{Expression, ExpressionBlend, ExpressionValue, Puppet};

use crate::variants::Switches;

const FADE: f64 = 0.3;

/// One expression per choice of every switch. A choice that shows closed eyes holds the eyes open, so that blinking
/// does not fight it.
pub(crate) fn of(switches: &Switches, puppet: &Puppet) -> Vec<Expression> {
    let mut all: Vec<Expression> = Vec::new();
    for switch in switches.list.iter().filter(|s| puppet.parameter(&s.parameter).is_some()) {
        for (i, choice) in switch.choices.iter().enumerate() {
            let set = |id: &puppet::ParameterId, value: f64| ExpressionValue {
                parameter: id.clone(),
                value,
                blend: ExpressionBlend::Overwrite,
            };
            let mut values = vec![set(&switch.parameter, (i + 1) as f64)];
            if switch.closes_eyes.get(i).copied().unwrap_or(false) {
                for id in ["ParamEyeLOpen", "ParamEyeROpen"] {
                    if let Some(p) = puppet.parameter(&id.into()) {
                        values.push(set(&p.id, p.max));
                    }
                }
            }
            let name = unique(
                &all,
                if switch.choices.len() == 1 && switch.name == *choice {
                    choice.clone()
                } else {
                    format!("{} {choice}", switch.name)
                },
            );
            all.push(Expression { name, fade_in: FADE, fade_out: FADE, values });
        }
    }
    all
}

fn unique(all: &[Expression], name: String) -> String {
    let taken = |n: &str| all.iter().any(|e| e.name == n);
    if !taken(&name) {
        return name;
    }
    (2..).map(|k| format!("{name} {k}")).find(|n| !taken(n)).unwrap_or(name)
}
