//! Pendulums of hair and eyes (RIG 9).

use puppet::{
    ParameterId, Pendulum, PhysicsGroup, PhysicsInput, PhysicsOutput, PhysicsRange, PhysicsSource, Puppet,
};

/// One pendulum chain of what hangs.
struct Chain {
    id: &'static str,
    name: &'static str,
    /// What moves its anchor.
    driver: Driver,
    /// (length, delay, mobility) of each link.
    links: &'static [(f64, f64, f64)],
    /// Driven parameter and scale, one a link.
    outputs: &'static [(&'static str, f64)],
    /// Normalised range of the angle inputs.
    angle: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Driver {
    Head,
    Body,
    /// The body and its breathing: what beats up and down.
    Breath,
}

/// (parameter, weight, kind)
type Input = (&'static str, f64, PhysicsSource);

impl Driver {
    fn inputs(self) -> &'static [Input] {
        const HEAD: &[Input] = &[
            ("ParamAngleX", 60.0, PhysicsSource::X),
            ("ParamAngleZ", 60.0, PhysicsSource::Angle),
            ("ParamBodyAngleX", 40.0, PhysicsSource::X),
            ("ParamBodyAngleZ", 40.0, PhysicsSource::Angle),
        ];
        const BODY: &[Input] = &[
            ("ParamBodyAngleX", 80.0, PhysicsSource::X),
            ("ParamBodyAngleY", 20.0, PhysicsSource::X),
            ("ParamBodyAngleZ", 100.0, PhysicsSource::Angle),
        ];
        const BREATH: &[Input] = &[
            ("ParamBodyAngleX", 30.0, PhysicsSource::X),
            ("ParamBodyAngleY", 40.0, PhysicsSource::X),
            ("ParamBreath", 30.0, PhysicsSource::X),
            ("ParamBodyAngleZ", 60.0, PhysicsSource::Angle),
        ];
        match self {
            Self::Head => HEAD,
            Self::Body => BODY,
            Self::Breath => BREATH,
        }
    }
}

/// RIG 9 to the letter; with its mobility long hair still swings after two seconds.
const CLASSIC: [Chain; 2] = [
    chain("PhysicsHairFront", "Front hair", &[(3.0, 0.9, 0.95)], &[("ParamHairFront", 1.522)]),
    Chain {
        angle: 30.0,
        ..chain("PhysicsHairBack", "Back hair", &[(15.0, 0.8, 0.95)], &[("ParamHairBack", 2.061)])
    },
];

/// Everything that may hang. The two sides of a pair differ a little, as nature does. All settle within two seconds.
const NATURAL: [Chain; 22] = [
    chain("PhysicsHairFront", "Front hair", &[(3.0, 0.9, 0.92)], &[("ParamHairFront", 1.522)]),
    Chain {
        angle: 30.0,
        ..chain(
            "PhysicsHairBack",
            "Back hair",
            &[(15.0, 0.8, 0.90), (9.0, 0.85, 0.90)],
            &[("ParamHairBack", 2.061), ("ParamHairBackTip", 2.2)],
        )
    },
    chain("PhysicsHairSideL", "Side hair L", &[(6.0, 0.90, 0.92)], &[("ParamHairSideL", 1.15)]),
    chain("PhysicsHairSideR", "Side hair R", &[(6.6, 0.88, 0.92)], &[("ParamHairSideR", 1.22)]),
    chain(
        "PhysicsHairTail",
        "Hair tail",
        &[(10.0, 0.85, 0.91), (8.0, 0.90, 0.91)],
        &[("ParamHairTail", 1.6), ("ParamHairTailTip", 2.0)],
    ),
    chain(
        "PhysicsHairTailL",
        "Hair tail L",
        &[(10.0, 0.85, 0.91), (8.0, 0.90, 0.91)],
        &[("ParamHairTailL", 1.6), ("ParamHairTailTipL", 2.0)],
    ),
    chain(
        "PhysicsHairTailR",
        "Hair tail R",
        &[(10.8, 0.83, 0.91), (8.6, 0.88, 0.91)],
        &[("ParamHairTailR", 1.7), ("ParamHairTailTipR", 2.1)],
    ),
    chain("PhysicsHairAhoge", "Ahoge", &[(3.0, 0.70, 0.94)], &[("ParamHairAhoge", 0.65)]),
    chain("PhysicsRibbon", "Ribbon", &[(3.0, 0.80, 0.90)], &[("ParamRibbon", 0.65)]),
    chain("PhysicsRibbonL", "Ribbon L", &[(3.0, 0.80, 0.90)], &[("ParamRibbonL", 0.65)]),
    chain("PhysicsRibbonR", "Ribbon R", &[(3.2, 0.78, 0.90)], &[("ParamRibbonR", 0.68)]),
    chain("PhysicsEarringL", "Earring L", &[(4.0, 0.90, 0.94)], &[("ParamEarringL", 0.95)]),
    chain("PhysicsEarringR", "Earring R", &[(4.3, 0.88, 0.94)], &[("ParamEarringR", 0.98)]),
    chain("PhysicsEarL", "Ear L", &[(4.0, 0.80, 0.91)], &[("ParamEarL", 0.9)]),
    chain("PhysicsEarR", "Ear R", &[(4.2, 0.78, 0.91)], &[("ParamEarR", 0.92)]),
    body("PhysicsNeckwear", "Neckwear", &[(4.0, 0.85, 0.90)], &[("ParamNeckwear", 0.8)]),
    body("PhysicsArmSwayL", "Arm sway L", &[(12.0, 0.80, 0.90)], &[("ParamArmSwayL", 1.5)]),
    body("PhysicsArmSwayR", "Arm sway R", &[(12.6, 0.78, 0.90)], &[("ParamArmSwayR", 1.55)]),
    body("PhysicsSkirt", "Skirt", &[(8.0, 0.85, 0.92)], &[("ParamSkirt", 1.1)]),
    body(
        "PhysicsTail",
        "Tail",
        &[(10.0, 0.75, 0.92), (8.0, 0.80, 0.92)],
        &[("ParamTail1", 1.4), ("ParamTail2", 1.8)],
    ),
    Chain {
        driver: Driver::Breath,
        ..body("PhysicsWingL", "Wing L", &[(10.0, 0.80, 0.89)], &[("ParamWingL", 1.6)])
    },
    Chain {
        driver: Driver::Breath,
        ..body("PhysicsWingR", "Wing R", &[(10.4, 0.79, 0.89)], &[("ParamWingR", 1.65)])
    },
];

const fn chain(
    id: &'static str,
    name: &'static str,
    links: &'static [(f64, f64, f64)],
    outputs: &'static [(&'static str, f64)],
) -> Chain {
    Chain { id, name, driver: Driver::Head, links, outputs, angle: 10.0 }
}

const fn body(
    id: &'static str,
    name: &'static str,
    links: &'static [(f64, f64, f64)],
    outputs: &'static [(&'static str, f64)],
) -> Chain {
    Chain { driver: Driver::Body, ..chain(id, name, links, outputs) }
}

/// The groups whose outputs the puppet has, in the order in which they run.
pub(crate) fn groups(puppet: &Puppet, natural: bool) -> Vec<PhysicsGroup> {
    let has = |id: &str| puppet.parameter(&id.into()).is_some();
    let chains: &[Chain] = if natural { &NATURAL } else { &CLASSIC };
    let mut groups: Vec<PhysicsGroup> = chains.iter().filter_map(|c| hanging(c, &has)).collect();
    if has("ParamEyeBallForm") && has("ParamEyeLOpen") && has("ParamEyeROpen") {
        groups.push(jelly());
    }
    groups
}

/// The group of a chain, as far as its parameters exist.
fn hanging(chain: &Chain, has: &dyn Fn(&str) -> bool) -> Option<PhysicsGroup> {
    let output = |(i, &(parameter, scale)): (usize, &(&'static str, f64))| PhysicsOutput {
        parameter: ParameterId::from(parameter),
        vertex: i + 1,
        scale,
        weight: 100.0,
        reflect: false,
    };
    let outputs: Vec<PhysicsOutput> =
        chain.outputs.iter().enumerate().filter(|(_, o)| has(o.0)).map(output).collect();
    let last = outputs.last()?.vertex;
    let anchor = Pendulum { radius: 0.0, mobility: 1.0, delay: 1.0, acceleration: 1.0 };
    let links = chain.links.iter().take(last);
    let links =
        links.map(|&(radius, delay, mobility)| Pendulum { radius, mobility, delay, acceleration: 1.5 });
    let inputs = chain.driver.inputs().iter().filter(|i| has(i.0));
    Some(PhysicsGroup {
        id: chain.id.to_owned(),
        name: chain.name.to_owned(),
        inputs: inputs
            .map(|&(parameter, weight, source)| PhysicsInput {
                parameter: parameter.into(),
                weight,
                source,
                reflect: false,
            })
            .collect(),
        outputs,
        pendulums: std::iter::once(anchor).chain(links).collect(),
        position: PhysicsRange { min: -10.0, default: 0.0, max: 10.0 },
        angle: PhysicsRange { min: -chain.angle, default: 0.0, max: chain.angle },
    })
}

fn jelly() -> PhysicsGroup {
    let input = |parameter: &str| PhysicsInput {
        parameter: parameter.into(),
        weight: 50.0,
        source: PhysicsSource::X,
        reflect: false,
    };
    PhysicsGroup {
        id: "PhysicsEyeJelly".to_owned(),
        name: "Eye jelly".to_owned(),
        inputs: vec![input("ParamEyeLOpen"), input("ParamEyeROpen")],
        outputs: vec![PhysicsOutput {
            parameter: "ParamEyeBallForm".into(),
            vertex: 2,
            scale: 0.32,
            weight: 100.0,
            reflect: false,
        }],
        pendulums: vec![
            Pendulum { radius: 0.0, mobility: 1.0, delay: 1.0, acceleration: 1.0 },
            Pendulum { radius: 1.0, mobility: 0.88, delay: 0.18, acceleration: 1.9 },
            Pendulum { radius: 1.0, mobility: 0.80, delay: 0.32, acceleration: 2.2 },
        ],
        position: PhysicsRange { min: -1.0, default: 0.0, max: 1.0 },
        angle: PhysicsRange { min: -10.0, default: 0.0, max: 10.0 },
    }
}
