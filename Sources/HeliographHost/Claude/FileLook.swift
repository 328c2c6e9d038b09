internal import AgentClaude
internal import Glibc
internal import HeliographPlatform

/// Reads a file that an agent names, which may be anything: bounded, never a pipe or device, and never on the event loop's thread,
/// which an unresponsive disk would stop.
enum FileLook {
    /// Bytes searched for secrets; twice that is scanned, before and after.
    static let bytesMax = 512 << 10
    /// Bytes read of a notebook, which contains its pictures too; one cell of it is shown.
    static let notebookBytesMax = 4 << 20

    /// `folder`: the agent's working directory; links above it are not the agent's doing.
    static func read(_ path: String, in folder: String? = nil) -> ClaudeFile {
        let target = PathLinks.target(of: path, in: folder)
        var status = stat()
        // Checked before opening, which alone can start a device.
        guard unsafe stat(path, &status) == 0 else {
            return ClaudeFile(content: errno == ENOENT ? .absent : .unread(.unreadable), target: target)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return ClaudeFile(content: .unread(.notAFile), target: target) }
        var file = ClaudeFile(content: .unread(.tooLarge), size: Int64(status.st_size), target: target)
        let most = path.hasSuffix(".ipynb") ? notebookBytesMax : bytesMax
        guard status.st_size <= most else { return file }
        // The name may lead to another file by now, and opening a pipe must not block.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            file.content = .unread(.unreadable)
            return file
        }
        defer { close(descriptor) }
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return ClaudeFile(content: .unread(.notAFile), target: target)
        }
        file.content = read(descriptor, bytesMax: most)
        if case .bytes(let bytes) = file.content { file.size = Int64(bytes.count) }
        return file
    }

    /// Reads to the end, whatever the reported size: the kernel's own files report none.
    private static func read(_ descriptor: Int32, bytesMax: Int) -> ClaudeFile.Content {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return .unread(.unreadable)
            }
            if count == 0 { return .bytes(bytes) }
            bytes += buffer[..<count]
            if bytes.count > bytesMax { return .unread(.tooLarge) }
        }
    }
}
