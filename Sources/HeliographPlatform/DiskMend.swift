/// Advice about a full disk, in the same words everywhere.
package enum DiskMend {
    /// For a disk that is full, of bytes or of inodes; "there" is the path that the sentence names.
    package static let full = "make room there (df -h, df -i)"
}
