package import PushPlanner
package import RelayProtocol

/// The JSON that a receiver gets: `push-document` of the wire's schema.
///
/// Without code, number and time, the planner stores it and clients see it; `whole(_:_:)` adds them when it is sent.
package enum PushDocument {
    static let version: Int64 = 1
    /// Limit of a session's project and title each, which are read at a glance.
    private static let detailBytesMax = 200
    /// Limit of all risks together; the text has them as well.
    private static let risksBytesMax = 1_000
    /// The longest document: texts, details, and a code in each address of an action fit with room to spare.
    package static let bytesMax = 8_000

    /// The document of content that fits. With a code it contains `"code":"CODE"`, which the runner replaces.
    static func planned(_ content: AlertContent, on device: Device, pageURL: String) -> [UInt8] {
        let details = content.details
        return JSONWriter.object { document in
            document.field("version", version)
            document.object("device") {
                $0.field("id", device.id)
                $0.field("name", device.name)
            }
            document.field("kind", content.kind?.rawValue ?? "test")
            document.field("level", content.level.rawValue)
            document.field("replaces", content.replaces)
            document.field("title", content.text.title)
            document.field("text", content.text.body)
            document.field("project", details.project.map { TextFit.cut($0, bytesMax: detailBytesMax) })
            document.field("sessionTitle", details.title.map { TextFit.cut($0, bytesMax: detailBytesMax) })
            document.field("session", content.session)
            document.field("approval", content.approval)
            document.field("link", pageURL + content.place)
            let risks = TextFit.cut(details.risks, bytesMax: risksBytesMax).filter { !$0.isEmpty }
            if !risks.isEmpty { document.strings("risks", risks) }
            guard content.hasCode else { return }
            document.object("heliograph") {
                $0.field("code", "CODE")
                if !content.decisions.isEmpty { $0.strings("decisions", content.decisions) }
            }
        }
    }

    /// The document as it is sent. `payload` has its code, `id` names the push in all attempts; the actions post to the relay at
    /// `pageURL`.
    package static func whole(
        _ payload: [UInt8], _ intent: PushIntent, id: String, at pageURL: String
    ) throws(WireError) -> [UInt8] {
        let root = try JSONDocument(parsing: payload).root.object()
        var actions: [[UInt8]] = []
        if let own = root.optional("heliograph") {
            let code = try own.object().string("code")
            for entry in try own.optional("decisions")?.array() ?? [] {
                let decision = try entry.string()
                actions.append(
                    JSONWriter.object {
                        $0.field("decision", decision)
                        $0.field("url", "\(pageURL)/v1/decisions/\(code)")
                    })
            }
        }
        var members: [(name: String, json: [UInt8])] = []
        for (name, value) in try root.members() where name != "heliograph" { members.append((name, Array(value.bytes))) }
        return JSONWriter.object { document in
            document.field("id", id)
            document.field("time", intent.plannedAt)
            document.field("workspace", intent.workspace)
            for member in members { document.raw(dynamic: member.name, member.json) }
            if !actions.isEmpty { document.array("actions", actions) }
        }
    }
}
