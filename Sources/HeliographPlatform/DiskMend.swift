/// Advice about a full disk, with the same text everywhere.
package enum DiskMend {
    /// For a disk without free bytes or inodes; "there" refers to the path in the sentence before it.
    package static let full = "make room there (df -h, df -i)"
}
