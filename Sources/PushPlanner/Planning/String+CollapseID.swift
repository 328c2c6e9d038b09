extension String {
    /// Apple takes 64 bytes.
    var asCollapseID: String { utf8.count <= 64 ? self : String(digest(Array(utf8)), radix: 16) }
}
