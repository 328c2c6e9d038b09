import Kit
import SwiftUI

struct RootView: View {
    @Bindable var model: AppModel

    var body: some View {
        Group {
            if model.isPaired { SessionList(model: model) } else { PairingView(model: model) }
        }
        .alert("Heliograph", isPresented: Binding(get: { model.trouble != nil }, set: { if !$0 { model.trouble = nil } })) {
            Button("OK") {}
        } message: {
            Text(model.trouble ?? "")
        }
    }
}

/// The link is pasted. To scan it put a `DataScannerViewController` in front of this, and `NSCameraUsageDescription` into Info.plist.
struct PairingView: View {
    let model: AppModel
    @State private var link = ""

    var body: some View {
        Form {
            TextField("https://relay.example/#pair=…", text: $link)
                .textInputAutocapitalization(.never)
                .autocorrectionDisabled()
            Button("Pair") { Task { await model.pair(link) } }.disabled(link.isEmpty)
        }
    }
}

struct SessionList: View {
    @Bindable var model: AppModel

    var body: some View {
        NavigationStack(path: $model.path) {
            List {
                LinkRow(state: model.state)
                ForEach(model.state.approvals) { ApprovalView(model: model, approval: $0) }
                ForEach(model.state.sessions) { session in
                    NavigationLink(value: session.id) {
                        VStack(alignment: .leading) {
                            Text(verbatim: session.title).font(.headline)
                            Text(verbatim: "\(session.status.rawValue) · \(session.operation ?? session.host)").font(
                                .subheadline)
                        }
                    }
                }
            }
            .navigationTitle("Sessions")
            .navigationDestination(for: String.self) { SessionView(model: model, session: $0) }
        }
    }
}

/// Says plainly when the link is down, and how old what one sees is.
struct LinkRow: View {
    let state: RelayState

    var body: some View {
        switch state.link {
        case .live: EmptyView()
        case .off, .connecting: Text("Connecting…")
        case .waiting(let reason), .over(let reason, _):
            VStack(alignment: .leading) {
                Text(verbatim: reason)
                if let heard = state.heardAt { Text("Last heard \(Text(heard, style: .relative)) ago").font(.footnote) }
            }
            .foregroundStyle(.orange)
        }
    }
}

struct SessionView: View {
    let model: AppModel
    let session: String

    var body: some View {
        List {
            ForEach(model.state.approvals.filter { $0.session == session }) { ApprovalView(model: model, approval: $0) }
            ForEach(model.state.events) { event in
                VStack(alignment: .leading) {
                    Text(verbatim: event.kind).font(.caption).foregroundStyle(.secondary)
                    if let text = event.text { Text(verbatim: text) }
                }
            }
        }
        .task(id: session) { await model.show(session) }
        .onDisappear { Task { await model.show(nil) } }
    }
}

/// The whole input stands above the buttons: what is allowed has to be seen.
struct ApprovalView: View {
    let model: AppModel
    let approval: PendingApproval
    @State private var isDeciding = false

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Text(verbatim: "\(approval.tool): \(approval.title)").font(.headline)
            ForEach(approval.input, id: \.self) { field in
                Text(verbatim: field.name).font(.caption).foregroundStyle(.secondary)
                Text(verbatim: field.text).font(.system(.body, design: .monospaced))
            }
            ForEach(approval.warnings, id: \.self) { Text(verbatim: $0).foregroundStyle(.orange) }
            if !approval.isWhole { Text("Its text is not whole here: it can be denied, not allowed.").foregroundStyle(.orange) }
            ForEach(approval.questions) { question in
                Text(verbatim: question.text)
                // One question with one choice; a form for several is the app's own.
                if approval.questions.count == 1, !question.isMultiple {
                    ForEach(question.choices, id: \.self) { choice in
                        Button(choice.label) {
                            decide(.answer([question.answer([choice])]))
                        }
                    }
                }
            }
            HStack {
                Button("Deny", role: .destructive) { decide(.deny()) }
                if approval.canAllow { Button("Allow") { decide(.allow) } }
            }
        }
        .buttonStyle(.bordered)
        .disabled(isDeciding)
    }

    private func decide(_ verdict: Verdict) {
        isDeciding = true
        Task {
            await model.decide(approval, verdict)
            isDeciding = false
        }
    }
}
