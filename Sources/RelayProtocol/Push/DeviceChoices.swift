/// A person's notification settings for a device. Any client of theirs may change them, without learning the device's address.
package struct DeviceChoices: Sendable, Equatable {
    package var text = PushText.summary
    package var kinds = Set(AlertKind.allCases)
    package var muted: Set<SessionID> = []
    /// Sessions that are muted for a time.
    package var mutedUntil: [SessionID: TimedMute] = [:]
    /// Projects whose sessions are muted. A sealed session has no project that the relay knows.
    package var mutedProjects: Set<HostProject> = []
    package var quiet: QuietHours?
    /// When alerts that need no answer are sent. Nil: at once.
    package var gathering: Gathering?
    /// Settings of the weekly cost alert. Nil: there is none.
    package var weekly: WeeklyCosts?
    /// See `Device.countsRules`.
    package var countsRules = false
    package var hidesCost = false
    /// Ignored for apps; see `Device.allowsOnLockScreen`.
    package var allowsOnLockScreen = false

    package init() {}

    /// Decodes a complete set of choices: a field that is left out is not kept as it was.
    package init(from value: JSONValue) throws(WireError) {
        for field in ["text", "kinds", "muted"] as [StaticString] { _ = try value.required(field) }
        try read(value, texts: PushText.allCases)
        allowsOnLockScreen = try value.flag("allowOnLockScreen")
    }

    /// Reads the fields that are present; absent ones keep their value, except flags, sessions muted for a time, muted projects,
    /// quiet hours, gathering and weekly costs, whose absence means "off".
    mutating func read(_ value: JSONValue, texts: [PushText]) throws(WireError) {
        if value.optional("text") != nil {
            let word = try value.string("text")
            guard let text = PushText(rawValue: word), texts.contains(text) else {
                let words = texts.map(\.rawValue).joined(separator: ", ")
                throw WireError(.badValue, at: "\(value.path).text", "this is none of: \(words)")
            }
            self.text = text
        }
        if value.optional("kinds") != nil {
            kinds = []
            for entry in try value.array("kinds", countMax: AlertKind.allCases.count) {
                guard let kind = AlertKind(rawValue: try entry.string()) else {
                    let words = AlertKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw WireError(.badValue, at: entry.path, "this is none of: \(words)")
                }
                kinds.insert(kind)
            }
        }
        if value.optional("muted") != nil {
            muted = []
            for entry in try value.array("muted", countMax: WireLimits.mutedSessionsMax) {
                muted.insert(try entry.identifier())
            }
        }
        mutedUntil = [:]
        if value.optional("mutedUntil") != nil {
            for entry in try value.array("mutedUntil", countMax: WireLimits.mutedSessionsMax) {
                let session: SessionID = try entry.object().identifier("session")
                mutedUntil[session] = try TimedMute(from: entry)
            }
        }
        mutedProjects = []
        if value.optional("mutedProjects") != nil {
            for entry in try value.array("mutedProjects", countMax: WireLimits.mutedProjectsMax) {
                mutedProjects.insert(try HostProject(from: entry))
            }
        }
        quiet = nil
        if let quiet = value.optional("quiet") { self.quiet = try QuietHours(from: quiet) }
        gathering = nil
        if let gathering = value.optional("gather") { self.gathering = try Gathering(from: gathering) }
        weekly = nil
        if let weekly = value.optional("weekly") { self.weekly = try WeeklyCosts(from: weekly) }
        countsRules = try value.flag("countsRules")
        hidesCost = try value.flag("hidesCost")
    }

    /// Each time zone in the choices, with the path of its field.
    package var timeZones: [(place: String, name: String)] {
        let named: [(place: String, name: String?)] = [
            ("quiet.timeZone", quiet?.timeZone), ("gather.timeZone", gathering?.timeZone),
            ("weekly.timeZone", weekly?.timeZone),
        ]
        return named.compactMap { place, name in name.map { (place, $0) } }
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("text", text.rawValue)
        writer.strings("kinds", AlertKind.allCases.filter(kinds.contains).map(\.rawValue))
        writer.strings("muted", muted.map(\.rawValue).sorted())
        if !mutedUntil.isEmpty {
            let entries = mutedUntil.sorted { ($0.value.until, $0.key.rawValue) < ($1.value.until, $1.key.rawValue) }
            writer.array(
                "mutedUntil",
                entries.map { session, mute in
                    JSONWriter.object { entry in
                        entry.field("session", session)
                        mute.write(to: &entry)
                    }
                })
        }
        if !mutedProjects.isEmpty { writer.array("mutedProjects", mutedProjects.sorted().map(\.bytes)) }
        if let quiet {
            writer.object("quiet") {
                $0.field("from", quiet.from)
                $0.field("to", quiet.to)
                $0.field("timeZone", quiet.timeZone)
                $0.flag("exceptRisks", quiet.exceptRisks)
            }
        }
        if let gathering { writer.object("gather") { gathering.write(to: &$0) } }
        if let weekly { writer.object("weekly") { weekly.write(to: &$0) } }
        writer.flag("countsRules", countsRules)
        writer.flag("hidesCost", hidesCost)
        writer.flag("allowOnLockScreen", allowsOnLockScreen)
    }
}

extension Device {
    package var choices: DeviceChoices {
        get {
            var choices = DeviceChoices()
            choices.text = text
            choices.kinds = kinds
            choices.muted = muted
            choices.mutedUntil = mutedUntil
            choices.mutedProjects = mutedProjects
            choices.quiet = quiet
            choices.gathering = gathering
            choices.weekly = weekly
            choices.countsRules = countsRules
            choices.hidesCost = hidesCost
            choices.allowsOnLockScreen = allowsOnLockScreen
            return choices
        }
        set {
            text = newValue.text
            kinds = newValue.kinds
            muted = newValue.muted
            mutedUntil = newValue.mutedUntil
            mutedProjects = newValue.mutedProjects
            quiet = newValue.quiet
            gathering = newValue.gathering
            weekly = newValue.weekly
            countsRules = newValue.countsRules
            hidesCost = newValue.hidesCost
            allowsOnLockScreen = newValue.allowsOnLockScreen
        }
    }

    /// Reason why these choices are invalid for this device, with the path in a command that has them on its top level; nil if they
    /// are valid.
    package func fault(in choices: DeviceChoices) -> WireError? {
        switch address {
        case .apns:
            if choices.text == .sealed, sealKey == nil {
                return WireError(.badValue, at: "$.text", "its app has told no key to seal for")
            }
            if choices.allowsOnLockScreen {
                return WireError(
                    .badValue, at: "$.allowOnLockScreen", "an app's notification asks for an unlock first: this is for others"
                )
            }
        case .web:
            if !PushText.unsealed.contains(choices.text) {
                return WireError(.badValue, at: "$.text", "a browser's pushes are encrypted to it: there is nothing to seal")
            }
        case .ntfy:
            if !PushText.unsealed.contains(choices.text) {
                return WireError(.badValue, at: "$.text", "no app of ntfy opens what is sealed")
            }
        case .receiver:
            if !PushText.unsealed.contains(choices.text) {
                return WireError(.badValue, at: "$.text", "no receiver opens what is sealed")
            }
        }
        return nil
    }
}
