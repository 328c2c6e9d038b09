import Foundation
import Kit
import SwiftUI

struct RootView: View {
    @Bindable var model: AppModel

    var body: some View {
        Group {
            if model.isPaired { SessionList(model: model) } else { PairingView(model: model) }
        }
        .alert("Heliograph", isPresented: hasTrouble) {
            Button("OK") {}
        } message: {
            Text(model.trouble ?? "")
        }
    }

    private var hasTrouble: Binding<Bool> {
        Binding(get: { @MainActor in model.trouble != nil }, set: { @MainActor isShown in if !isShown { model.trouble = nil } })
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
                            Text(
                                verbatim:
                                    "\(session.status.rawValue) · \(session.operation ?? session.statusReason ?? session.host)"
                            ).font(
                                .subheadline)
                        }
                    }
                }
            }
            .navigationTitle("Sessions")
            .navigationDestination(for: String.self) { SessionView(model: model, session: $0) }
            .navigationDestination(isPresented: $model.showsSettings) { SettingsView(model: model) }
            .toolbar { Button("Settings") { model.showsSettings = true } }
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
            Button("Show on the Lock Screen") { Task { await model.wantCard(of: session) } }
            ForEach(model.state.events) { event in
                VStack(alignment: .leading) {
                    Text(verbatim: event.kind).font(.caption).foregroundStyle(.secondary)
                    if let remark = event.remark { Text(verbatim: remark).foregroundStyle(.orange) }
                    if let text = event.text { Text(verbatim: text) }
                }
            }
            PromptField(model: model, session: session)
        }
        .task(id: session) { await model.show(session) }
        .onDisappear { Task { await model.show(nil) } }
    }
}

/// Signed where its host wants that.
struct PromptField: View {
    let model: AppModel
    let session: String
    @State private var text = ""

    var body: some View {
        TextField("Tell it what to do", text: $text, axis: .vertical)
        Button("Send") { Task { if await model.prompt(text, session) { text = "" } } }.disabled(text.isEmpty)
    }
}

/// The whole input stands above the buttons: what is allowed has to be seen.
struct ApprovalView: View {
    let model: AppModel
    let approval: PendingApproval
    @State private var isDeciding = false
    /// What has been on the screen for long enough to be read: a relay can put another text under the thumb, in the same place.
    @State private var settled: PendingApproval?

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Text(verbatim: "\(approval.tool): \(approval.title)").font(.headline)
            ForEach(approval.input, id: \.self) { field in
                Text(verbatim: field.name).font(.caption).foregroundStyle(.secondary)
                Text(verbatim: field.text).font(.system(.body, design: .monospaced))
            }
            ForEach(approval.risks, id: \.self) { Text("Look twice: \($0)").foregroundStyle(.red) }
            ForEach(approval.warnings, id: \.self) { Text(verbatim: $0).foregroundStyle(.orange) }
            if let obstacle = approval.obstacle { Text(verbatim: obstacle.sentence).foregroundStyle(.orange) }
            if approval.canAnswer { QuestionsView(approval: approval) { decide(.answer($0)) }.disabled(settled != approval) }
            HStack {
                Button("Deny", role: .destructive) { decide(.deny()) }
                if approval.canAllow { Button("Allow") { decide(.allow) }.disabled(settled != approval) }
            }
        }
        .buttonStyle(.bordered)
        .disabled(isDeciding)
        // No alert for it need ring here.
        .task(id: approval.id) { await model.seen(approval) }
        .task(id: approval) {
            guard (try? await Task.sleep(for: .milliseconds(600))) != nil else { return }
            settled = approval
        }
    }

    private func decide(_ verdict: Verdict) {
        isDeciding = true
        Task {
            await model.decide(approval, verdict)
            isDeciding = false
        }
    }
}

/// A question can take one choice, several, or words of one's own; all of an approval are answered at once.
struct QuestionsView: View {
    let approval: PendingApproval
    let answer: ([Answer]) -> Void
    @State private var taken: [String: [PendingApproval.Question.Choice]] = [:]
    @State private var words: [String: String] = [:]

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            ForEach(approval.questions) { question in
                Text(verbatim: question.text)
                ForEach(question.choices, id: \.self) { choice in
                    Toggle(choice.label, isOn: isTaken(choice, of: question))
                    if let description = choice.description {
                        Text(verbatim: description).font(.caption).foregroundStyle(.secondary)
                    }
                }
                if question.takesWords {
                    TextField("In your own words", text: text(of: question), axis: .vertical)
                }
            }
            Button("Answer") { answer(answers) }.disabled(answers.count < approval.questions.count)
        }
    }

    private var answers: [Answer] {
        approval.questions.compactMap { question in
            let text = words[question.id].flatMap { $0.isEmpty ? nil : $0 }
            let choices = taken[question.id] ?? []
            return choices.isEmpty && text == nil ? nil : question.answer(choices, text: text)
        }
    }

    private func isTaken(_ choice: PendingApproval.Question.Choice, of question: PendingApproval.Question) -> Binding<Bool> {
        Binding(
            get: { @MainActor in taken[question.id]?.contains(choice) ?? false },
            set: { @MainActor isTaken in
                var choices = question.isMultiple ? taken[question.id] ?? [] : []
                choices.removeAll { $0 == choice }
                if isTaken { choices.append(choice) }
                taken[question.id] = choices
            })
    }

    private func text(of question: PendingApproval.Question) -> Binding<String> {
        Binding(get: { @MainActor in words[question.id] ?? "" }, set: { @MainActor text in words[question.id] = text })
    }
}
