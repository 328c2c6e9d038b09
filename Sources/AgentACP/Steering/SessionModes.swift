internal import HostCore
internal import RelayProtocol

/// The modes and models that the agent lists for a session, without modes in which nobody is asked. No others can be requested.
struct SessionModes: Equatable {
    /// The id of the configuration option for the mode; nil if the agent has only a list of modes.
    private(set) var option: String?
    /// True if the editor got a list of modes, and expects changes to be reported by that list's own update.
    private(set) var hasOwnList = false
    private(set) var names: [String] = []
    private(set) var current: String?
    /// The id of the configuration option for the model; nil if there is none.
    private(set) var modelOption: String?
    private(set) var models: [String] = []
    private(set) var currentModel: String?

    /// Reads the answer to the request that opened the session.
    mutating func opened(_ result: JSONValue) {
        if let modes = result.optional("modes"), modes.isObject {
            names = Self.asking(modes.list("availableModes"), by: "id")
            current = modes.text("currentModeId")
            hasOwnList = true
        }
        take(options: result)
    }

    /// Takes the `configOptions` of an answer or an update, which always contain all options.
    mutating func take(options holder: JSONValue) {
        if let mode = Self.option("mode", of: holder), let id = mode.text("id") {
            option = id
            names = Self.asking(mode.list("options"), by: "value")
            current = mode.text("currentValue")
        }
        if let model = Self.option("model", of: holder), let id = model.text("id") {
            modelOption = id
            models = Self.usable(model.list("options").map { $0.text("value") }, countMax: WireLimits.steeringModelsMax)
            currentModel = model.text("currentValue")
        }
    }

    private static func option(_ meaning: String, of holder: JSONValue) -> JSONValue? {
        holder.list("configOptions").first { entry in
            // The category is an option's meaning; agents without categories use it as the option's id.
            entry.text("type") == "select" && (entry.text("category") ?? entry.text("id")) == meaning
        }
    }

    /// False if the agent is in a mode in which nobody is asked, or in one that it does not list.
    var currentAsks: Bool { current.map(names.contains) ?? true }

    mutating func changed(to mode: String?) {
        if let mode { current = mode }
    }

    /// The modes that ask, judged by both their names and their titles.
    private static func asking(_ modes: [JSONValue], by key: StaticString) -> [String] {
        let kept = modes.filter { mode in
            mode.text(key).map { AskingMode.isOne($0, title: mode.text("name")) } ?? false
        }
        return usable(kept.map { $0.text(key) })
    }

    /// The names that fit on the wire; others cannot be requested.
    private static func usable(_ names: [String?], countMax: Int = WireLimits.steeringModesMax) -> [String] {
        names.compactMap { $0 }.filter { !$0.isEmpty && $0.utf8.count <= WireLimits.nameBytesMax }
            .prefix(countMax).map { $0 }
    }
}
