internal import HostCore
internal import RelayProtocol

/// Reads the agent's plan. Reports it as a whole, and only if it changed.
struct PlanReader {
    private let limits: ACPLimits
    private var last: [UInt8]?

    init(limits: ACPLimits) { self.limits = limits }

    mutating func take(_ update: JSONValue) -> Told? {
        let entries = update.list("entries").prefix(limits.texts.todosMax).compactMap {
            entry -> (text: String, status: String)? in
            guard let content = entry.text("content") else { return nil }
            let status =
                switch entry.text("status") {
                case "completed": "done"
                case "in_progress": "active"
                default: "pending"
                }
            return (TextCut.line(content, bytesMax: limits.todoBytes), status)
        }
        let items = JSONWriter.array(
            entries.map { entry in
                JSONWriter.object {
                    $0.field("text", entry.text)
                    $0.field("status", entry.status)
                }
            })
        guard items != last else { return nil }
        last = items
        let progress = TodoProgress(
            completed: Int64(entries.count { $0.status == "done" }), total: Int64(entries.count),
            current: entries.first { $0.status == "active" }.map {
                TextCut.line($0.text, bytesMax: limits.texts.operationBytes)
            })
        return Told(.todoChanged(progress)) { $0.raw("items", items) }
    }
}
