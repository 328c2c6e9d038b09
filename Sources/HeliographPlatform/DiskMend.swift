/// What a person does about a full disk: one wording, wherever it is met.
package enum DiskMend {
    /// For a disk that is full, of bytes or of inodes; "there" is the path that the sentence names.
    package static let full = "make room there (df -h, df -i)"
}
