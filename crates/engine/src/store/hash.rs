//! The hash of a packed state.
//!
//! One multiplication to 128 bits per word, with both halves folded together: every bit of the
//! state reaches every bit of the hash, in two or three cycles a word. The high bits choose the
//! bucket and the low bits are the tag, so both must be good. The constants are fixed: a state has
//! the same hash in every run, which keeps runs repeatable.

const KEY: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03, 0x8CB9_2BA7_2F3D_8DD7];

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a state. The loop disappears if the compiler knows the length.
#[inline(always)]
pub fn hash_state(words: &[u64]) -> u64 {
    // Two chains, because the latency of a multiplication is three times its throughput.
    let (mut even, mut odd) = (KEY[0], KEY[2]);
    let (pairs, rest) = words.as_chunks::<2>();
    for [a, b] in pairs {
        even = fold(even ^ a, KEY[1]);
        odd = fold(odd ^ b, KEY[2]);
    }
    for word in rest {
        even = fold(even ^ word, KEY[1]);
    }
    // One more round: a single multiplication leaves the low half of the last word weakly mixed.
    fold(even ^ KEY[1], odd ^ KEY[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States are often counters in bit fields. Neither buckets nor tags may clump on them.
    #[test]
    fn small_changes_spread_over_buckets_and_tags() {
        let mut buckets = vec![0u32; 1 << 12];
        let mut tags = vec![0u32; 256];
        for a in 0..256u64 {
            for b in 0..256u64 {
                let hash = hash_state(&[a << 3 | b << 52, 7]);
                buckets[(hash >> 52) as usize] += 1;
                tags[(hash & 255) as usize] += 1;
            }
        }
        assert!(*buckets.iter().max().unwrap() < 40, "expected about 16 in a bucket");
        assert!(*tags.iter().max().unwrap() < 340 && *tags.iter().min().unwrap() > 180, "expected about 256");
    }
}
