extension ProfileSet {
    /// The document of a shipped profile, as it was written; nil if there is none of that name.
    package static func document(ofShipped name: String) -> [UInt8]? {
        EmbeddedFiles.all.first { $0.path == "\(name).json" }.map { file in
            unsafe Array(UnsafeBufferPointer(start: file.content.utf8Start, count: file.content.utf8CodeUnitCount))
        }
    }
}
