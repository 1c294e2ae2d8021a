//! Downsampling of charts that preserves sums and peaks.

use crate::profile_record::{ProfilePointRecord, ProfileRecord, RateRecord, SweepProfileRecord};

/// Maximum number of points of a sweep in a chart: about one for two pixels.
const MOST_POINTS: usize = 512;
/// Maximum number of sweeps.
const MOST_SWEEPS: usize = 32;
/// Maximum number of points in the chart of the rate.
const MOST_MOMENTS: usize = 512;

/// Downsamples a profile. Of very many sweeps, it keeps the first ones, the one with the peak, and
/// the last one.
pub fn thin_profile(profile: &ProfileRecord) -> ProfileRecord {
    let held = |sweep: &SweepProfileRecord| sweep.points.iter().map(ProfilePointRecord::held).max();
    let sweeps = &profile.sweeps;
    let mut kept: Vec<usize> = (0..sweeps.len()).collect();
    if sweeps.len() > MOST_SWEEPS {
        let highest = (0..sweeps.len()).max_by_key(|&place| (held(&sweeps[place]), std::cmp::Reverse(place)));
        kept.truncate(MOST_SWEEPS - 2);
        kept.extend(highest);
        kept.push(sweeps.len() - 1);
        kept.sort_unstable();
        kept.dedup();
    }
    ProfileRecord { sweeps: kept.into_iter().map(|place| thin_sweep(&sweeps[place])).collect() }
}

fn thin_sweep(sweep: &SweepProfileRecord) -> SweepProfileRecord {
    let together = sweep.points.len().div_ceil(MOST_POINTS).max(1);
    SweepProfileRecord { points: sweep.points.chunks(together).map(joined).collect(), ..*sweep }
}

/// Merges neighbouring points: counts are added, and states in memory are those at the peak.
fn joined(points: &[ProfilePointRecord]) -> ProfilePointRecord {
    let sum = |number: fn(&ProfilePointRecord) -> u64| points.iter().map(number).fold(0, u64::saturating_add);
    let mut highest = &points[0];
    for point in points {
        if point.held() > highest.held() {
            highest = point;
        }
    }
    ProfilePointRecord {
        progress: points[0].progress,
        value: points[0].value.clone(),
        layers: sum(|point| point.layers),
        expanded: sum(|point| point.expanded),
        largest_layer: points.iter().map(|point| point.largest_layer).max().unwrap_or(0),
        ..highest.clone()
    }
}

/// Downsamples the rate, keeping the last point. The numbers are cumulative, so leaving some out
/// does not change the others.
pub fn thin_rate(rate: &[RateRecord]) -> Vec<RateRecord> {
    let together = rate.len().div_ceil(MOST_MOMENTS).max(1);
    rate.chunks(together).filter_map(|chunk| chunk.last().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(progress: u64, current: u64) -> ProfilePointRecord {
        let met = progress * 10;
        ProfilePointRecord {
            progress,
            layers: 1,
            expanded: 3,
            largest_layer: current,
            current,
            met,
            ..Default::default()
        }
    }

    #[test]
    fn sums_and_peaks_stay() {
        let points: Vec<ProfilePointRecord> = (0..100_000).map(|i| point(i, i * 7919 % 10_007)).collect();
        let sweep = SweepProfileRecord { number: 1, layers: 100_000, points };
        let thin = thin_sweep(&sweep);
        assert!(thin.points.len() <= MOST_POINTS);
        let sum = |number: fn(&ProfilePointRecord) -> u64| thin.points.iter().map(number).sum::<u64>();
        assert_eq!((sum(|one| one.layers), sum(|one| one.expanded)), (100_000, 300_000));
        let peak = |sweep: &SweepProfileRecord| sweep.points.iter().map(ProfilePointRecord::held).max();
        assert_eq!(peak(&thin), peak(&sweep));
        // The number for full exploration is taken at the same time.
        assert!(
            thin.points
                .iter()
                .all(|one| sweep.points.iter().any(|all| all.current == one.current && all.met == one.met))
        );
    }

    #[test]
    fn of_many_sweeps_the_highest_and_the_last_stay() {
        let sweep = |number| SweepProfileRecord {
            number,
            layers: 1,
            points: vec![point(0, u64::from(number == 77))],
        };
        let thin = thin_profile(&ProfileRecord { sweeps: (1..=100).map(sweep).collect() });
        let numbers: Vec<u64> = thin.sweeps.iter().map(|sweep| sweep.number).collect();
        assert_eq!((numbers.len(), &numbers[30..]), (32, &[77, 100][..]));
    }

    #[test]
    fn the_last_moment_stays() {
        let rate: Vec<RateRecord> =
            (1..=5_001).map(|i| RateRecord { seconds: f64::from(i), explored: i as u64 * 10 }).collect();
        let thin = thin_rate(&rate);
        assert!(thin.len() <= MOST_MOMENTS && thin.last() == rate.last());
    }
}
