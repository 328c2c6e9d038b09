internal import HostCore
internal import RelayProtocol

/// Our requests to the app-server on this connection that are unanswered.
struct CodexCalls {
    enum Call: Equatable {
        case initialize
        case listThreads
        case resume(thread: String)
        /// Reads a thread with its turns, the only way to learn of an item that began before we joined and has not ended.
        case readWhole(thread: String)
        case listTurns(thread: String)
        /// Lists the newest turns, with their prompts.
        case listRecentTurns(thread: String)
        /// Lists the commands that run on after their turns.
        case listTerminals(thread: String)
        case unsubscribe(thread: String)
        case listModels
        /// A client's prompt, under our name for it.
        case startTurn(thread: String, SteeringAction.Prompt, SteeringName)
        /// Adds a prompt to that turn; valid only while it runs.
        case steerTurn(thread: String, turn: String, SteeringAction.Prompt, SteeringName)
        case interrupt(thread: String, turn: String, SteeringName)
        /// Ends a turn that began with a freer policy than its held session may have.
        case halt(thread: String, turn: String)
        case set(thread: String, CodexSetting, SteeringName)
        /// Sets a policy when a budget is spent, or is not any more.
        case hold(thread: String, policy: String)
        /// Ends the thread's work and unloads it, which no other call does at once. The thread also disappears from everybody's
        /// list.
        case archive(thread: String, SteeringName)
        /// Returns the thread to the lists, to be resumed.
        case unarchive(thread: String)
        case startThread(LaunchOrder)
        /// Lists the threads of the launch's folder.
        case listPast(LaunchOrder)
        case reopen(LaunchOrder, thread: String)

        /// Steering request that this call carries out.
        var name: SteeringName? {
            switch self {
            case .startTurn(_, _, let name), .steerTurn(_, _, _, let name), .interrupt(_, _, let name), .set(_, _, let name),
                .archive(_, let name):
                name
            case .initialize, .listThreads, .resume, .readWhole, .listTurns, .listRecentTurns, .listTerminals, .unsubscribe,
                .listModels,
                .startThread, .listPast,
                .reopen, .unarchive, .hold, .halt:
                nil
            }
        }
    }

    /// Turns that are searched for the last reported one: more than a person takes back at once.
    fileprivate static let recentTurns: Int64 = 20

    private var open: [Int64: Call] = [:]
    private var lastID: Int64 = 0

    /// The request message of a call.
    mutating func begin(_ call: Call) -> [UInt8] {
        lastID += 1
        open[lastID] = call
        return JSONWriter.object {
            $0.field("id", lastID)
            $0.field("method", call.method)
            $0.object("params", call.write)
        }
    }

    /// Ends a call; nil if we did not send that request.
    mutating func end(_ id: Int64) -> Call? { open.removeValue(forKey: id) }

    mutating func reset() { open = [:] }
}

extension CodexCalls.Call {
    fileprivate var method: String {
        switch self {
        case .initialize: "initialize"
        case .listThreads: "thread/loaded/list"
        case .resume, .readWhole, .reopen: "thread/resume"
        case .listTurns, .listRecentTurns: "thread/turns/list"
        case .listTerminals: "thread/backgroundTerminals/list"
        case .unsubscribe: "thread/unsubscribe"
        case .listModels: "model/list"
        case .startTurn: "turn/start"
        case .steerTurn: "turn/steer"
        case .interrupt, .halt: "turn/interrupt"
        case .set, .hold: "thread/settings/update"
        case .archive: "thread/archive"
        case .unarchive: "thread/unarchive"
        case .startThread: "thread/start"
        case .listPast: "thread/list"
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .initialize:
            writer.object("clientInfo") {
                $0.field("name", "heliograph")
                $0.field("title", "Heliograph")
                $0.field("version", "1")
            }
            // Only clients with this capability can change a thread's settings, and only they receive all that an approval asks for.
            writer.object("capabilities") {
                $0.field("experimentalApi", true)
                $0.field("requestAttestation", false)
            }
        case .listThreads, .listModels: break
        case .resume(let thread):
            writer.field("threadId", thread)
            // A long conversation is not read to us as a whole.
            writer.field("excludeTurns", true)
        case .readWhole(let thread), .listTerminals(let thread): writer.field("threadId", thread)
        case .listTurns(let thread):
            writer.field("threadId", thread)
            writer.field("itemsView", "full")
            writer.field("limit", 1)
        case .listRecentTurns(let thread):
            writer.field("threadId", thread)
            writer.field("itemsView", "summary")
            writer.field("limit", CodexCalls.recentTurns)
        case .unsubscribe(let thread), .archive(let thread, _), .unarchive(let thread): writer.field("threadId", thread)
        case .startTurn(let thread, let prompt, let name):
            writer.field("threadId", thread)
            Self.write(prompt, name, to: &writer)
        case .steerTurn(let thread, let turn, let prompt, let name):
            writer.field("threadId", thread)
            writer.field("expectedTurnId", turn)
            Self.write(prompt, name, to: &writer)
        case .interrupt(let thread, let turn, _), .halt(let thread, let turn):
            writer.field("threadId", thread)
            writer.field("turnId", turn)
        case .startThread(let launch):
            writer.field("cwd", launch.folder)
            Self.write(launch.launch, to: &writer)
        case .listPast(let launch):
            writer.field("cwd", launch.folder)
            writer.field("limit", Int64(WireLimits.pastSessionsMax))
            writer.field("sortKey", "updated_at")
        case .reopen(let launch, let thread):
            writer.field("threadId", thread)
            writer.field("excludeTurns", true)
            Self.write(launch.launch, to: &writer)
        case .set(let thread, let setting, _):
            writer.field("threadId", thread)
            switch setting {
            case .model(let model): writer.field("model", model)
            case .policy(let policy): writer.field("approvalPolicy", policy)
            }
        case .hold(let thread, let policy):
            writer.field("threadId", thread)
            writer.field("approvalPolicy", policy)
        }
    }

    /// Writes a launch. Without a mode it gets the one that asks most, because Codex's own default may be one that never asks.
    private static func write(_ launch: Launch, to writer: inout JSONWriter) {
        writer.field("approvalPolicy", launch.mode ?? CodexStart.modes[0])
        writer.field("model", launch.model)
    }

    /// Writes a prompt. Text is never taken for a command here, whatever it begins with: commands exist only at the terminal.
    private static func write(_ prompt: SteeringAction.Prompt, _ name: SteeringName, to writer: inout JSONWriter) {
        let pictures = prompt.pictures.map { picture in
            JSONWriter.object {
                $0.field("type", "image")
                $0.field("url", "data:\(picture.type.rawValue);base64,\(picture.content ?? "")")
            }
        }
        let text = JSONWriter.object {
            $0.field("type", "text")
            $0.field("text", prompt.text)
        }
        writer.array("input", pictures + [text])
        writer.field("clientUserMessageId", name.codexMessage)
    }
}
