internal import HostCore
internal import RelayProtocol

/// The agent's task list: always sent as a whole.
extension ClaudeAdapter {
    private struct Todo {
        var text: String
        var status: String?
        var active: String?

        init?(_ value: JSONValue) {
            guard let text = value.text("content") ?? value.text("subject") else { return nil }
            self.text = text
            status = value.text("status")
            active = value.text("activeForm")
        }

        var word: String {
            switch status {
            case "completed": "done"
            case "in_progress": "active"
            default: "pending"
            }
        }
    }

    mutating func readTodos(_ id: SessionID, tool: String, payload: JSONValue, response: JSONValue?) {
        switch tool {
        case "TodoWrite":
            let list = response?.list("newTodos") ?? []
            tell((list.isEmpty ? payload.optional("tool_input")?.list("todos") ?? [] : list).compactMap(Todo.init), in: id)
        case "TaskList": tell((response?.list("tasks") ?? []).compactMap(Todo.init), in: id)
        // These tools report changes, which arrive out of order when they are made together; the files have the whole list.
        case "TaskCreate", "TaskUpdate": tasksChanged(id)
        default: break
        }
    }

    mutating func tasksChanged(_ id: SessionID) {
        guard let directory = sessions[id]?.tasksDirectory else { return }
        order(.readTasks(id, directory: directory))
    }

    mutating func tasksRead(_ id: SessionID, _ files: [JSONDocument]) {
        let numbered = files.map(\.root).map { (number: $0.text("id").flatMap { Int($0) } ?? .max, value: $0) }
        let todos = numbered.sorted { $0.number < $1.number }.compactMap { Todo($0.value) }
        // An empty directory is not a list: it may be read while the first file is being written.
        if !todos.isEmpty { tell(todos, in: id) }
    }

    private mutating func tell(_ all: [Todo], in id: SessionID) {
        let todos = all.filter { $0.status != "deleted" }.prefix(limits.texts.todosMax)
        let done = todos.count { $0.word == "done" }
        let active = todos.first { $0.word == "active" }
        let current = active.map { TextCut.line(clean($0.active ?? $0.text), bytesMax: limits.texts.operationBytes) }
        let items = JSONWriter.array(
            todos.map { todo in
                JSONWriter.object {
                    $0.field("text", TextCut.line(clean(todo.text), bytesMax: 400))
                    $0.field("status", todo.word)
                }
            })
        let state = items + Array((current ?? "").utf8)
        guard sessions[id] != nil, sessions[id]?.todos != state else { return }
        sessions[id]?.todos = state
        emit(.todoChanged(TodoProgress(completed: Int64(done), total: Int64(todos.count), current: current)), in: id) {
            $0.raw("items", items)
        }
    }
}
