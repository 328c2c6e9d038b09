import ChannelAPNs
import ArgumentParser
import Foundation
import PushPlanner
import RelayProtocol

/// `heliograph push profiles`
struct PushProfiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "List the profiles that come with the relay, or print one as a start for your own.",
        discussion: """
              heliograph push profiles
              heliograph push profiles heliograph > mine.json
            """)

    @Argument(help: "The one to print. Default: list all.")
    var name: String?

    func run() throws {
        try Failure.reporting {
            guard let name else { return ProfileSet().all.forEach { print("\($0.name)  \($0.bundle)") } }
            guard let document = ProfileSet.document(ofShipped: name) else {
                throw ValidationError(
                    "There is no profile \(name). There are \(ProfileSet().all.map(\.name).joined(separator: ", ")).")
            }
            print(String(decoding: document, as: UTF8.self), terminator: "")
        }
    }
}

/// `heliograph push preview`
struct PushPreview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Print what a profile makes of a session, with the size of each push.",
        discussion: """
            Also checks your own profile: an error names the field, and the exit code is 1. Nothing is sent.

              heliograph push preview --profile codingbridge
              heliograph push preview --profile ./mine.json --state approval
              heliograph push preview --profile heliograph --text generic --json
              heliograph push preview --profile ./mine.json --language de
            """)

    enum State: String, CaseIterable, ExpressibleByArgument {
        case working, approval, question, done, error, all
    }

    enum Text: String, CaseIterable, ExpressibleByArgument {
        case full, summary, generic
    }

    @Option(help: ArgumentHelp("A built-in profile by name, or a file by its path.", valueName: "name or path"))
    var profile: String

    @Option(help: ArgumentHelp("What the session is doing: working, approval, question, done, error or all."))
    var state = State.all

    @Option(
        help: ArgumentHelp("How much a push may say: full, summary or generic. Only a full alert can be allowed.")
    )
    var text = Text.summary

    @Option(help: "The device's language, such as de. Default: en.")
    var language: String?

    @Flag(help: "Print JSON, one push a line.")
    var json = false

    func run() throws {
        try Failure.reporting {
            let profile = try loaded()
            let states = state == .all ? State.allCases.filter { $0 != .all } : [state]
            let previews = try states.flatMap {
                try PushPreviews.of(profile, $0, PushText(rawValue: text.rawValue) ?? .summary, PushLanguage(tag: language))
            }
            if json { previews.forEach(show) } else { previews.forEach(tell) }
        }
    }

    private func loaded() throws -> Profile {
        let ours = ProfileSet()
        if let known = ours[profile] { return known }
        guard profile.contains("/") || profile.hasSuffix(".json") else {
            let names = ours.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no profile \(profile). There are \(names); a file is named by its path.")
        }
        guard let data = FileManager.default.contents(atPath: profile) else {
            throw ValidationError("\(profile) cannot be read.")
        }
        let name = URL(fileURLWithPath: profile).deletingPathExtension().lastPathComponent
        return try Profile(parsing: Array(data), name: name)
    }

    private func show(_ preview: PushPreviews) {
        Output.json { writer in
            writer.field("state", preview.state)
            writer.field("push", preview.push)
            writer.field("bytes", Int64(preview.payload.count))
            writer.field("bytesMax", Int64(APNsPayload.bytesMax))
            writer.raw("payload", preview.payload)
        }
    }

    private func tell(_ preview: PushPreviews) {
        print("\(preview.state), \(preview.push): \(preview.payload.count) of \(APNsPayload.bytesMax) bytes")
        print(String(decoding: preview.payload, as: UTF8.self) + "\n")
    }
}

/// One push of the example session, which began 20 minutes ago.
struct PushPreviews {
    var state: String
    var push: String
    var payload: [UInt8]

    /// The pushes of this state, in the order in which they are sent.
    static func of(
        _ profile: Profile, _ state: PushPreview.State, _ text: PushText, _ language: PushLanguage
    ) throws -> [PushPreviews] {
        var subject = try subject(state, text)
        subject.language = language
        let kind = kind(of: state)
        let words = AlertText.compose(
            kind: kind ?? .approval, subject: subject, textMax: profile.textMax, bytesMax: Payload.alertTextBytesMax)
        var previews: [PushPreviews] = []
        func add(_ push: String, _ payload: [UInt8]) {
            previews.append(PushPreviews(state: state.rawValue, push: push, payload: payload))
        }
        if profile.attributesType != nil {
            let now = subject.now / 1_000
            let relevance = profile.relevance(of: subject.summary.status)
            let stale = now + profile.staleAfter / 1_000
            switch state {
            case .working:
                let start = AlertText.start(subject, textMax: profile.textMax, bytesMax: Payload.startTextBytesMax)
                add(
                    "start",
                    APNsPayload.start(
                        profile, subject, timestamp: now, stale: stale, relevance: relevance, alert: start, sound: false,
                        channel: nil, inputPushToken: true))
                add(
                    "update",
                    APNsPayload.update(profile, subject, timestamp: now, stale: stale, relevance: relevance, broadcast: false))
            case .done, .error:
                let dismissal = state == .done ? profile.dismissal.completed : profile.dismissal.failed
                add(
                    "end",
                    APNsPayload.end(profile, subject, timestamp: now, dismissal: now + dismissal / 1_000, broadcast: false))
            default:
                add(
                    "update",
                    APNsPayload.update(profile, subject, timestamp: now, stale: stale, relevance: relevance, broadcast: false))
            }
        }
        if let kind {
            let isAsked = kind == .approval || kind == .question
            add(
                "alert",
                APNsPayload.alert(
                    profile, kind: kind, text: words, thread: subject.summary.session.rawValue,
                    level: isAsked ? .timeSensitive : .active, session: subject.summary.session,
                    approval: subject.approval?.id, code: kind == .approval, mayAllow: words.isWhole, sealed: false))
        }
        return previews
    }

    private static func kind(of state: PushPreview.State) -> AlertKind? {
        switch state {
        case .working, .all: nil
        case .approval: .approval
        case .question: .question
        case .done: .finished
        case .error: .error
        }
    }

    // MARK: - The example session

    private static func subject(_ state: PushPreview.State, _ text: PushText) throws -> PushSubject {
        // 2026-11-20T12:34:56Z, so that the preview is the same every time.
        let now: Int64 = 1_795_178_096_000
        var summary = try Summary(
            from: JSONDocument(
                parsing: """
                    {"session": "sess_7f3a", "seq": 1, "host": {"id": "h1", "name": "build-server", "connected": true},
                     "agent": {"name": "claude"}, "title": "Fix APNs client", "project": "relay", "cwd": "~/relay",
                     "status": "running", "operation": "Editing APNsClient.swift", "file": "Sources/PushAPNs/APNsClient.swift",
                     "operations": 12, "messages": 18, "todo": {"completed": 3, "total": 7, "current": "Fix token refresh race"},
                     "approvals": 0, "questions": 0, "subagents": 0, "costMicroUSD": 413200, "linesAdded": 120,
                     "linesRemoved": 30, "startedAt": \(now - 1_230_000), "lastActivityAt": \(now)}
                    """
            ).root)
        var approval: Approval?
        switch state {
        case .working, .all: break
        case .approval:
            (summary.status, summary.approvals) = (.waitingApproval, 1)
            approval = try request("tool", "Bash", "Run: swift test", "command: swift test", at: now)
        case .question:
            (summary.status, summary.questions) = (.waitingAnswer, 1)
            approval = try request("question", "AskUserQuestion", "Which branch?", #"Which branch?\n• main\n• dev"#, at: now)
        case .done:
            (summary.status, summary.statusReason, summary.endedAt) = (.completed, "All 7 tasks done", now)
            (summary.todo, summary.operation) = (TodoProgress(completed: 7, total: 7), nil)
        case .error:
            (summary.status, summary.error, summary.endedAt) = (.failed, "The model could not be reached", now)
            summary.operation = nil
        }
        return PushSubject(summary: summary, approval: approval, text: text, now: now)
    }

    private static func request(
        _ kind: String, _ tool: String, _ title: String, _ words: String, at now: Int64
    ) throws -> Approval {
        let digest = String(repeating: "0", count: 64)
        let event = try Event(
            from: JSONDocument(
                parsing: """
                    {"kind": "approval.requested", "at": \(now), "head": {"approval": "req_91", "kind": "\(kind)", "tool": "\(tool)",
                     "title": "\(title)", "digest": "\(digest)", "alert": {"full": "\(words)", "whole": true}}}
                    """
            ).root)
        guard case .approvalRequested(let request) = event.head else { preconditionFailure("the event above is one") }
        return Approval(
            session: SessionID("sess_7f3a")!, request: request, requestBytes: event.bytes, requestedAt: now, seq: 1)
    }
}
