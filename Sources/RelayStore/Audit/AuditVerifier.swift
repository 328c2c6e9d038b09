package import RelayCore
internal import RelayProtocol

/// Reads audit lines in order and reports where the chain is broken.
///
/// After a fault it continues from the faulty line, so that one changed line causes one or two sentences, not a thousand.
package struct AuditVerifier {
    private(set) var report = AuditReport()
    private var heads: [WorkspaceID: AuditHead] = [:]
    private var order: [WorkspaceID] = []
    /// Hashes of heads that were kept elsewhere, and have not been found yet.
    private var wantedHashes: Set<String>

    /// Consecutive lines that are no audit records, with the first of them: so a file of another kind is reported in one sentence.
    private var strange: (count: Int, first: String) = (0, "")

    package init(wanting hashes: [String]) { wantedHashes = Set(hashes) }

    /// `place` identifies the line in reports. Returns the line if it can be read.
    package mutating func take(_ bytes: [UInt8], at place: String) -> AuditLine? {
        report.recordCount += 1
        let line: AuditLine
        do { line = try AuditLine(parsing: bytes) } catch {
            strange.count += 1
            if strange.count == 1 { strange.first = "\(place) is no audit record: \(error.message) (\(error.path))" }
            return nil
        }
        tellStrange()
        if heads[line.workspace] == nil { order.append(line.workspace) }
        let head = heads[line.workspace] ?? .start(of: line.workspace)
        heads[line.workspace] = AuditHead(workspace: line.workspace, n: line.n, hash: line.hash)
        if line.isIntact { wantedHashes.remove(line.hash) }

        if !line.isIntact {
            report.fault("\(place) was changed: its hash is of another line")
        } else if line.n != head.n + 1 {
            let wanted = "record \(head.n + 1) of workspace \(line.workspace)"
            let happened = line.n > head.n + 1 ? "lines before it were removed" : "lines were inserted or moved"
            report.fault("\(place) has record \(line.n) where \(wanted) belongs: \(happened)")
        } else if line.previous != head.hash {
            report.fault("\(place) does not follow the record before it: one of the two was replaced")
        }
        return line
    }

    package mutating func fault(_ sentence: String) { report.fault(sentence) }

    private mutating func tellStrange() {
        guard strange.count > 0 else { return }
        let more = strange.count == 2 ? ", nor is the line after it" : ", nor are the \(strange.count - 1) lines after it"
        report.fault(strange.count == 1 ? strange.first : strange.first + more)
        strange = (0, "")
    }

    package consuming func finish() -> AuditReport {
        tellStrange()
        for hash in wantedHashes.sorted() {
            report.fault("no record has the hash \(hash): the end was cut off, or the log is another one")
        }
        report.heads = order.compactMap { heads[$0] }
        return report
    }
}
