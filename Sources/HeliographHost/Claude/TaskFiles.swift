internal import RelayProtocol

/// Claude's task list on disk: one file a task.
enum TaskFiles {
    private static let countMax = 500
    private static let bytesMax = 64 << 10

    /// Reads the tasks. A file that is being written is read at the next change.
    static func read(_ directory: String) -> [JSONDocument] {
        let names = Files.names(in: directory).filter { $0.hasSuffix(".json") }.sorted().prefix(countMax)
        return names.compactMap { name in
            guard let bytes = try? Files.read(directory + "/" + name, bytesMax: bytesMax) else { return nil }
            return try? JSONDocument(parsing: bytes)
        }
    }
}
