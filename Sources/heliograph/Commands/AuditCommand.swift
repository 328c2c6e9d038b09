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
                // Written byte for byte unless it is a terminal, because the hashes cover these bytes.
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

                With --devices each decision and command to a host that wants signatures is proven by the device that made it, \
                without the relay's word. FILE is a host's devices.json, or any JSON that lists public keys as `sign`.

                  heliograph audit verify
                  heliograph audit verify audit.jsonl --data /var/lib/heliograph
                  heliograph audit verify --head 41b1…9c
                  heliograph audit verify audit.jsonl --devices devices.json

                Exit codes: 0 nothing is wrong, 1 something is wrong, or it could not be checked.
                """)

        @Argument(help: "An exported log.")
        var file: String?

        @OptionGroup var data: DataOption

        @Option(help: ArgumentHelp("A hash that was once a head; may be repeated.", valueName: "hash"))
        var head: [String] = []

        @Option(help: ArgumentHelp("Devices whose signatures count; may be repeated.", valueName: "file"))
        var devices: [String] = []

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
                var signatures: SignatureReport?
                if !devices.isEmpty {
                    signatures =
                        if let file {
                            try Storage.verifySignatures(inFile: file, devices: devices)
                        } else {
                            try storage.verifySignatures(devices: devices)
                        }
                }
                if json { show(verdict, signatures) } else { tell(verdict, signatures) }
                if !verdict.faults.isEmpty || signatures?.faultCount ?? 0 > 0 { throw ExitCode(1) }
            }
        }

        private func show(_ verdict: AuditReport, _ signatures: SignatureReport?) {
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
                guard let signatures else { return }
                writer.object("signatures") {
                    $0.field("proven", Int64(signatures.provenCount))
                    $0.field("passkeys", Int64(signatures.passkeyCount))
                    $0.field("sealed", Int64(signatures.sealedCount))
                    $0.field("unsigned", Int64(signatures.unsignedCount))
                    $0.field("refused", Int64(signatures.refusedCount))
                    $0.field("unproven", Int64(signatures.faultCount))
                    $0.strings("faults", signatures.faults)
                }
            }
        }

        private func tell(_ verdict: AuditReport, _ signatures: SignatureReport?) {
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
            if let signatures { tell(signatures) }
        }

        private func tell(_ signatures: SignatureReport) {
            for fault in signatures.faults { Output.complain("\(VisibleText.line(fault))\n") }
            print(
                "\(signatures.provenCount) decisions and commands are proven by a device's signature, \(signatures.faultCount) are not; "
                    + "\(signatures.unsignedCount) needed none, and \(signatures.refusedCount) without one were not carried out."
            )
            if signatures.passkeyCount > 0 {
                print("A passkey has confirmed \(signatures.passkeyCount) of them, its person present and verified.")
            }
            if signatures.sealedCount > 0 {
                print(
                    "Sealed: signature not checked of \(signatures.sealedCount), as their host did not say what is signed: it is older."
                )
            }
        }
    }
}
