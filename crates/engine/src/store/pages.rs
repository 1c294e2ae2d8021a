//! Memory for the large tables, straight from the operating system.
//!
//! Both [`PagedVec`] and [`PagedTable`] grow in place: they reserve address space for as much as
//! they may ever need, and pages become memory, filled with zeros, when they are first touched. So
//! a growing arena is never copied, a growing index needs no room for an old and a new copy, and
//! nothing is cleared that was cleared before. Large tables ask for huge pages: with small ones,
//! most accesses miss the translation cache as well.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags};

/// Tables from this size on ask for huge pages.
const HUGE_FROM: usize = 4 << 20;
/// Arenas grow in steps of this many bytes (and count as used in these steps).
const HUGE_PAGE: usize = 2 << 20;

/// The machine refused to give memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system has no room for {bytes} more bytes")]
pub struct OutOfMemory {
    /// How much was asked for.
    pub bytes: usize,
}

/// Address space, zero-filled when touched, at the boundary of a huge page.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
    /// What was mapped: the above, and what lies before the boundary.
    mapped: (NonNull<u8>, usize),
}

// SAFETY: a mapping is plain memory with a single owner; nothing in it is tied to the thread that
// made it.
unsafe impl Send for Mapping {}
// SAFETY: shared access only reads.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Reserves `limit` bytes, or as much of it as there is: some machines count reservations or
    /// limit address space.
    fn up_to(limit: usize) -> Result<Self, OutOfMemory> {
        let mut bytes = limit.next_multiple_of(HUGE_PAGE).max(HUGE_PAGE);
        loop {
            match Self::new(bytes) {
                Err(_) if bytes > HUGE_PAGE => bytes = (bytes / 2).next_multiple_of(HUGE_PAGE),
                result => return result,
            }
        }
    }

    fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        // Reserved, not charged: without this flag, reserving more than there is fails at once.
        #[cfg(target_os = "linux")]
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        #[cfg(not(target_os = "linux"))]
        let flags = MapFlags::PRIVATE;
        let mapped = bytes + HUGE_PAGE;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice overlaps nothing.
        let base = unsafe {
            rustix::mm::mmap_anonymous(
                std::ptr::null_mut(),
                mapped,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        };
        let base = base.ok().and_then(|base| NonNull::new(base.cast::<u8>())).ok_or(OutOfMemory { bytes })?;
        // SAFETY: there is a boundary within the first huge page, and `bytes` more behind it.
        let start = unsafe { base.add(base.align_offset(HUGE_PAGE)) };
        Ok(Self { start, bytes, mapped: (base, mapped) })
    }

    /// Takes `needed` bytes where `taken` are in use, and says how many that makes.
    fn grow(&self, taken: usize, needed: usize) -> Result<usize, OutOfMemory> {
        let bytes = rounded(needed);
        if bytes > self.bytes {
            return Err(OutOfMemory { bytes: needed - taken });
        }
        if bytes > HUGE_FROM && taken <= HUGE_FROM {
            // All that may follow at once: the kernel gives a huge page only where all of it was
            // asked for.
            let from = taken.next_multiple_of(HUGE_PAGE);
            self.advise_huge(from, self.bytes - from);
        }
        Ok(bytes)
    }

    /// Asks for huge pages in a part of the mapping. Only a hint: a refusal changes nothing but
    /// speed.
    fn advise_huge(&self, offset: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        // SAFETY: the range lies inside this mapping, and this advice does not change its contents.
        let _ = unsafe {
            rustix::mm::madvise(self.start.as_ptr().add(offset).cast(), bytes, Advice::LinuxHugepage)
        };
        #[cfg(not(target_os = "linux"))]
        let _ = (offset, bytes);
    }
}

/// Small tables grow by a few pages, large ones by huge pages.
fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of(if bytes <= HUGE_FROM { 16 << 10 } else { HUGE_PAGE })
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is exactly the range that was mapped, and nothing borrows from it any more.
        let _ = unsafe { rustix::mm::munmap(self.mapped.0.as_ptr().cast(), self.mapped.1) };
    }
}

/// An append-only vector of numbers that grows without moving.
#[derive(Debug)]
pub struct PagedVec<T = u64> {
    mapping: Mapping,
    len: usize,
    /// Elements that may be written without asking again.
    granted: usize,
    elements: PhantomData<T>,
}

/// Numbers that a [`PagedVec`] can hold: every bit pattern is one of them.
pub trait PagedNumber: Copy {}

impl PagedNumber for u64 {}
impl PagedNumber for u32 {}

impl<T: PagedNumber> PagedVec<T> {
    /// An empty vector that can grow to `limit` bytes, or to what address space allows.
    pub fn with_limit(limit: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { mapping: Mapping::up_to(limit)?, len: 0, granted: 0, elements: PhantomData })
    }

    /// Whether `more` elements can be appended as it is.
    #[inline]
    pub fn has_room(&self, more: usize) -> bool {
        self.len + more <= self.granted
    }

    /// Makes sure that `more` elements can be appended.
    #[cold]
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let bytes = self.mapping.grow(self.granted * size_of::<T>(), (self.len + more) * size_of::<T>())?;
        self.granted = bytes / size_of::<T>();
        Ok(())
    }

    /// Bytes of memory that would be in use with `more` elements.
    pub fn bytes_with(&self, more: usize) -> usize {
        rounded((self.len + more) * size_of::<T>()).max(self.bytes())
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of memory that are in use.
    pub fn bytes(&self) -> usize {
        self.granted * size_of::<T>()
    }

    /// Appends elements for which there is room.
    ///
    /// # Safety
    /// [`has_room`](Self::has_room) is true of `elements.len()`.
    #[inline]
    pub unsafe fn append(&mut self, elements: &[T]) {
        // SAFETY: by the contract of this function.
        unsafe { self.write_next(elements) };
        self.count_next(elements.len());
    }

    /// Writes elements behind the last one, without counting them.
    ///
    /// # Safety
    /// [`has_room`](Self::has_room) is true of `elements.len()`.
    #[inline(always)]
    pub unsafe fn write_next(&mut self, elements: &[T]) {
        debug_assert!(self.len + elements.len() <= self.granted);
        // SAFETY: the target is inside the granted part of the mapping, which begins at the boundary of a
        // page and is aligned for every number. `elements` borrows from elsewhere, because `self` is
        // borrowed exclusively.
        unsafe {
            std::ptr::copy_nonoverlapping(elements.as_ptr(), self.start().add(self.len), elements.len());
        }
    }

    /// Counts elements that were written behind the last one.
    #[inline(always)]
    pub fn count_next(&mut self, elements: usize) {
        debug_assert!(self.len + elements <= self.granted);
        self.len += elements;
    }

    /// The memory that the vector will grow into next, if it is large.
    pub fn memory_ahead(&self) -> Option<MemoryAhead> {
        let taken = self.bytes();
        (taken > HUGE_FROM && taken + HUGE_PAGE <= self.mapping.bytes)
            .then(|| MemoryAhead(self.mapping.start.addr().get() + taken))
    }

    /// Gives the memory of the elements before this one back to the system, as far as huge pages go.
    /// They read as zeros from now on. Only a hint: the memory counts as in use.
    pub fn release_before(&mut self, element: usize) {
        #[cfg(target_os = "linux")]
        {
            let bytes = (element.min(self.len) * size_of::<T>()) / HUGE_PAGE * HUGE_PAGE;
            // SAFETY: the range lies inside this mapping, which is borrowed exclusively. Every bit
            // pattern is a number, also the zeros that are there from now on.
            let _ = unsafe { rustix::mm::madvise(self.start().cast(), bytes, Advice::LinuxDontNeed) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = element;
    }

    /// Removes all elements and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The elements so far.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: the first `len` elements were written, and stay as they are while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.start(), self.len) }
    }

    /// The elements of a range. Others may be written by other threads meanwhile.
    #[inline]
    pub fn range(&self, range: Range<usize>) -> &[T] {
        assert!(range.start <= range.end && range.end <= self.len, "the elements exist");
        // SAFETY: they are among the first `len` elements, which stay as they are while `self` is
        // borrowed, but for those that a thread was told to write, and that are not read before.
        unsafe { std::slice::from_raw_parts(self.start().add(range.start), range.len()) }
    }

    /// The first element, for prefetching and for reads that are known to be in range.
    #[inline]
    pub fn start(&self) -> *mut T {
        self.mapping.start.as_ptr().cast()
    }
}

/// A huge page of address space that will be touched soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAhead(usize);

impl MemoryAhead {
    /// Asks the system for the memory now, on this thread. Only a hint: it changes no contents, and a
    /// refusal changes nothing but speed.
    pub fn populate(self) {
        #[cfg(target_os = "linux")]
        // SAFETY: this advice lets pages be there as if they had been touched. It changes the
        // contents of none, whoever owns them, and fails if there is no mapping.
        let _ = unsafe {
            rustix::mm::madvise(
                std::ptr::with_exposed_provenance_mut(self.0),
                HUGE_PAGE,
                Advice::LinuxPopulateWrite,
            )
        };
    }
}

/// A table of 32-bit entries that grows without moving. New entries are zero.
#[derive(Debug)]
pub struct PagedTable {
    mapping: Mapping,
    len: usize,
    bytes: usize,
}

impl PagedTable {
    /// A table without entries that can grow to `limit` bytes, or to what address space allows.
    pub fn with_limit(limit: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { mapping: Mapping::up_to(limit)?, len: 0, bytes: 0 })
    }

    /// Bytes of memory that would be in use with `len` entries.
    pub fn bytes_with(&self, len: usize) -> usize {
        rounded(len * 4).max(self.bytes)
    }

    /// Adds zeros up to `len` entries, or takes entries away, which must be zero.
    pub fn resize(&mut self, len: usize) -> Result<(), OutOfMemory> {
        self.bytes = self.mapping.grow(self.bytes, len * 4)?.max(self.bytes);
        self.len = len;
        Ok(())
    }

    /// Makes all entries zero again.
    pub fn clear(&mut self) {
        // SAFETY: the first `len` entries are in memory that belongs to this table alone.
        unsafe { self.start().write_bytes(0, self.len) };
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of memory that are in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first entry, at the beginning of a page.
    #[inline]
    pub fn start(&self) -> *mut u32 {
        self.mapping.start.as_ptr().cast()
    }
}

/// Bytes of memory that a search assumes where the system does not say how much there is.
const ASSUMED: usize = 8 << 30;

/// Bytes of memory that this machine, or the control group of this process, offers; an assumption
/// where the system does not tell. To report the size of the machine, use [`machine_memory`].
pub fn available_memory() -> usize {
    machine_memory().unwrap_or(ASSUMED)
}

/// Bytes of memory that this machine, or the control group of this process, offers, if the system
/// tells.
pub fn machine_memory() -> Option<usize> {
    let in_group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok());
    // The limit of a group may be greater than the machine, and is then no limit.
    physical_memory().map(|physical| in_group.map_or(physical, |limit| limit.min(physical)))
}

#[cfg(target_os = "linux")]
fn physical_memory() -> Option<usize> {
    let info = rustix::system::sysinfo();
    Some((info.totalram as usize).saturating_mul(info.mem_unit as usize))
}

/// macOS and the BSDs answer through `sysconf`, as Linux does; there `sysinfo` needs no C library.
#[cfg(all(unix, not(target_os = "linux")))]
fn physical_memory() -> Option<usize> {
    // SAFETY: `sysconf` reads a number of the system, and has no other effect.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    let pages = usize::try_from(pages).ok().filter(|pages| *pages > 0)?;
    Some(pages.saturating_mul(rustix::param::page_size()))
}

#[cfg(not(unix))]
fn physical_memory() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paged_vector_grows_without_moving() {
        let mut vector = PagedVec::with_limit(64 << 20).unwrap();
        let start = vector.start();
        for value in 0..2_000_000u64 {
            if !vector.has_room(1) {
                vector.reserve(1).unwrap();
            }
            // SAFETY: one word was reserved.
            unsafe { vector.append(&[value]) };
        }
        assert_eq!(vector.start(), start);
        assert!(vector.as_slice().iter().copied().eq(0..2_000_000));
        assert!(vector.bytes() >= 16_000_000 && vector.bytes() < 16_000_000 + HUGE_PAGE);
    }

    #[test]
    fn a_limit_is_an_error_not_a_crash() {
        let mut vector = PagedVec::<u64>::with_limit(2 << 20).unwrap();
        assert!(vector.reserve(1 << 18).is_ok());
        assert!(vector.reserve((1 << 18) + 1).is_err());
    }

    #[test]
    fn the_machine_has_memory() {
        assert!(available_memory() > 1 << 20);
        #[cfg(unix)]
        assert_eq!(machine_memory(), Some(available_memory()));
    }
}
