import Foundation
import Kit
import SwiftUI

/// What pushes may say, and when they come.
struct SettingsView: View {
    let model: AppModel

    var body: some View {
        Form {
            Section {
                Picker("Alerts say", selection: chosen(\.text)) {
                    Text("The whole command").tag(DeviceRegistration.Text.full)
                    Text("What it is about").tag(DeviceRegistration.Text.summary)
                    Text("That something waits").tag(DeviceRegistration.Text.generic)
                    Text("Everything, encrypted to this phone").tag(DeviceRegistration.Text.sealed)
                }
                Toggle("Hide costs", isOn: chosen(\.hidesCost))
            } header: {
                Text("Text")
            } footer: {
                Text(
                    "Only an alert with the whole command offers to allow. Everything but encrypted text passes Apple's servers."
                )
            }
            Section("Cards") {
                Picker("Show", selection: chosen(\.cards)) {
                    Text("One for each session").tag(DeviceRegistration.Cards.perSession)
                    Text("One for all").tag(DeviceRegistration.Cards.aggregate)
                    Text("None").tag(DeviceRegistration.Cards.off)
                }
                Picker("Start", selection: chosen(\.starts)) {
                    Text("With each session").tag(DeviceRegistration.Starts.always)
                    Text("When one waits for me").tag(DeviceRegistration.Starts.whenNeeded)
                    Text("Never by themselves").tag(DeviceRegistration.Starts.never)
                }
            }
            Section("Alerts") {
                ForEach(DeviceRegistration.Kind.allCases, id: \.self) { kind in Toggle(title(of: kind), isOn: isOn(kind)) }
                Toggle("Quiet hours", isOn: hasQuietHours)
                if model.device.quiet != nil {
                    DatePicker("From", selection: quiet(\.from), displayedComponents: .hourAndMinute)
                    DatePicker("To", selection: quiet(\.to), displayedComponents: .hourAndMinute)
                }
            }
            Section("Machines") {
                NavigationLink("Trusted machines and devices") { HostsView(model: model) }
            }
            Section("Relay") {
                Button("Sign out", role: .destructive) { Task { await model.signOut() } }
            }
        }
        .navigationTitle("Settings")
    }

    private func title(of kind: DeviceRegistration.Kind) -> LocalizedStringKey {
        switch kind {
        case .approval: "Approvals"
        case .question: "Questions"
        case .error: "Errors"
        case .finished: "Finished runs"
        case .budget: "Budgets"
        }
    }

    private func chosen<Value: Sendable>(
        _ path: WritableKeyPath<DeviceRegistration, Value> & Sendable
    ) -> Binding<Value> {
        Binding(
            get: { @MainActor in model.device[keyPath: path] },
            set: { @MainActor value in Task { await model.change { $0[keyPath: path] = value } } })
    }

    private func isOn(_ kind: DeviceRegistration.Kind) -> Binding<Bool> {
        Binding(
            get: { @MainActor in model.device.kinds.contains(kind) },
            set: { @MainActor isOn in
                Task {
                    await model.change { device in
                        device.kinds.removeAll { $0 == kind }
                        if isOn { device.kinds.append(kind) }
                    }
                }
            })
    }

    private var hasQuietHours: Binding<Bool> {
        Binding(
            get: { @MainActor in model.device.quiet != nil },
            set: { @MainActor isOn in
                let night = DeviceRegistration.Quiet(from: 22 * 60, to: 7 * 60, timeZone: TimeZone.current.identifier)
                Task { await model.change { $0.quiet = isOn ? night : nil } }
            })
    }

    /// Minutes of the day, as a picker of times wants them.
    private func quiet(_ path: WritableKeyPath<DeviceRegistration.Quiet, Int> & Sendable) -> Binding<Date> {
        let today = Calendar.current.startOfDay(for: .now)
        return Binding(
            get: { @MainActor in today.addingTimeInterval(Double(model.device.quiet?[keyPath: path] ?? 0) * 60) },
            set: { @MainActor date in
                let parts = Calendar.current.dateComponents([.hour, .minute], from: date)
                let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
                Task { await model.change { $0.quiet?[keyPath: path] = minute } }
            })
    }
}
