import Foundation
import Kit
import SwiftUI

/// The machines that do what this phone signs, and the devices that each trusts besides.
struct HostsView: View {
    let model: AppModel
    @State private var link = ""
    @State private var isAsking = false

    var body: some View {
        Form {
            Section {
                TextField("https://relay.example/#k=…", text: $link)
                    .textInputAutocapitalization(.never)
                    .autocorrectionDisabled()
                Button("Trust") { ask() }.disabled(link.isEmpty || isAsking)
                if let code = model.code { Text("This phone's code: \(code)") }
            } header: {
                Text("Another machine")
            } footer: {
                Text("At that machine run “heliograph host trust”. It shows a link, and then the same code as this phone.")
            }
            ForEach(model.hosts) { host in
                Section {
                    ForEach(model.state.devices.filter { $0.host.id == host.id }) { DeviceRow(model: model, device: $0) }
                } header: {
                    Text(verbatim: host.name)
                } footer: {
                    Text(host.seals ? "Its content is sealed: the relay cannot read it." : "The relay can read its content.")
                }
            }
        }
        .navigationTitle("Machines")
    }

    private func ask() {
        isAsking = true
        Task {
            if await model.trust(link) { link = "" }
            isAsking = false
        }
    }
}

struct DeviceRow: View {
    let model: AppModel
    let device: TrustedDevice

    var body: some View {
        VStack(alignment: .leading) {
            if device.isOwn {
                Text("\(device.name) (this phone)").font(.headline)
            } else {
                Text(verbatim: device.name).font(.headline)
            }
            Text(verbatim: device.code).font(.footnote)
            if let other = device.broughtBy {
                Text("brought by \(other)").font(.footnote)
            } else {
                Text("let in at its terminal").font(.footnote)
            }
            if device.isNew {
                Text("New: it may decide here, too.").foregroundStyle(.red)
                Button("I know it") { Task { await model.read(device) } }
            }
            if !device.isOwn { Button("Distrust", role: .destructive) { Task { await model.distrust(device) } } }
        }
    }
}
