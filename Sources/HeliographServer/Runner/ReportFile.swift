import Dispatch
import Logging

/// File to which a relay writes its `Report` on request.
struct ReportFile {
    private let path: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "heliograph.reports", qos: .utility)

    init(in folder: String, _ logger: Logger) {
        path = "\(folder)/\(Report.fileName)"
        self.logger = logger
    }

    /// Written without waiting, as the disk may be what hangs.
    func write(_ bytes: [UInt8]) {
        queue.async { [path, logger] in
            do {
                try PrivateFile.write(bytes, to: path)
                logger.notice("a report was written", metadata: ["file": "\(path)"])
            } catch {
                logger.error("no report could be written", metadata: ["error": "\(error)"])
            }
        }
    }
}
