internal import APNsSimulator
internal import Glibc

/// The journal as JSON Lines. Each line is in the file before the response that it describes is sent.
final class JournalFile {
    private let descriptor: Int32

    /// Creates it empty. Throws if the file cannot be created.
    init(path: String) throws(APNsSimulatorServerError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw APNsSimulatorServerError("the journal \(path) cannot be written: \(unsafe String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    func append(_ entries: [JournalEntry]) {
        guard !entries.isEmpty else { return }
        var bytes: [UInt8] = []
        for entry in entries {
            bytes.append(contentsOf: entry.line)
            bytes.append(UInt8(ascii: "\n"))
        }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if count < 0, errno == EINTR { continue }
            // A test of an incomplete journal could pass wrongly.
            guard count >= 0 else { fatalError("the journal cannot be written: \(unsafe String(cString: strerror(errno)))") }
            written += count
        }
    }
}
