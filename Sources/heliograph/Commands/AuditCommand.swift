import ArgumentParser
import Foundation
import HeliographServer
import RelayCore
import RelayProtocol

/// `heliograph audit`
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Export the record of who decided what and who was let in, and verify it.",
        discussion: """
            Every stage of every approval and every token has a record, in the order in which it happened, and each record holds \
            the hash of the one before it. Records outlive the sessions that they are about. Run it on the relay's machine, \
            while the relay runs or not.
            """,
        subcommands: [Export.self, Verify.self])

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the audit log, one JSON object a line, the oldest first.",
            discussion: """
                On a terminal, characters that would command it or hide text are spelled out; only output to a file or pipe can be verified.

                  heliograph audit export > audit.jsonl
                  heliograph audit export | jq 'select(.what == "approval.decided")'
                """)

        @OptionGroup var data: DataOption

        @Option(help: "Only this workspace's, by its name or id.")
        var workspace: String?

        func run() throws {
            try Failure.reporting {
                // Elsewhere byte for byte, as the hashes are of that.
                let isSeen = isatty(STDOUT_FILENO) == 1
                try Storage(directory: data.path).exportAudit(of: workspace) { line in
                    try Output.line(isSeen ? Array(JSONLine.text(line).utf8) : line)
                }
            }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that no record was changed, removed, inserted or moved.",
            discussion: """
                Without FILE it checks the relay's own data, and that every decision there has its record. With FILE it checks \
                an exported log; with FILE and --data also that those are the records that the data begins with.

                It prints the head: the last record's number and hash. Keep it where nobody who can write the data can \
                write. With --head it must be among the records, so that a cut end, or a new log, is detected as well.

                  heliograph audit verify
                  heliograph audit verify audit.jsonl --data /var/lib/heliograph
                  heliograph audit verify --head 41b1…9c

                Exit codes: 0 nothing is wrong, 1 something is wrong, or it could not be checked.
                """)

        @Argument(help: "An exported log.")
        var file: String?

        @OptionGroup var data: DataOption

        @Option(help: ArgumentHelp("A hash that was once a head; may be repeated.", valueName: "hash"))
        var head: [String] = []

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            for hash in head where InputDigest(hash) == nil {
                throw ValidationError("--head takes 64 lowercase hexadecimal digits.")
            }
        }

        func run() throws {
            try Failure.reporting {
                let storage = Storage(directory: data.path)
                let verdict =
                    if let file, data.given == nil {
                        try Storage.verifyAudit(inFile: file, heads: head)
                    } else {
                        try storage.verifyAudit(against: file, heads: head)
                    }
                if json { show(verdict) } else { tell(verdict) }
                if !verdict.faults.isEmpty { throw ExitCode(1) }
            }
        }

        private func show(_ verdict: AuditReport) {
            Output.json { writer in
                writer.field("records", Int64(verdict.recordCount))
                writer.array(
                    "heads",
                    verdict.heads.map { head in
                        JSONWriter.object {
                            $0.field("workspace", head.workspace)
                            $0.field("n", head.n)
                            $0.field("hash", head.hash)
                        }
                    })
                writer.strings("faults", verdict.faults)
            }
        }

        private func tell(_ verdict: AuditReport) {
            for fault in verdict.faults { Output.complain("\(VisibleText.line(fault))\n") }
            let records = "\(verdict.recordCount) record\(verdict.recordCount == 1 ? "" : "s")"
            guard verdict.faults.isEmpty else {
                print("\(records), and the log is broken.")
                return
            }
            let chain = verdict.recordCount > 1 ? ", each follows from the one before it" : ""
            print("\(records)\(chain).")
            if head.isEmpty { print("Without --head a cut end, or a new log, is not noticed.") }
            for head in verdict.heads { print("head of \(head.workspace): \(head.n) \(head.hash)") }
        }
    }
}
