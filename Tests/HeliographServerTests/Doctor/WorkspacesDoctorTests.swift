@testable import HeliographServer
import RelayAccess
import RelayCore
import RelayProtocol
import Testing

@Suite struct WorkspacesDoctorTests {
    private func doctor(
        _ count: Int = 2, registered: Int = 0, freeMegabytes: UInt64? = 10_000, memoryMegabytes: Int64 = 8_000,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) -> WorkspacesDoctor {
        var configuration = ServerConfiguration(dataDirectory: "")
        change(&configuration)
        let workspaces = (1...count).map { WorkspaceID("w\($0)")! }
        return WorkspacesDoctor(
            configuration: configuration, workspaces: workspaces, registered: registered, usage: [:],
            limits: Dictionary(uniqueKeysWithValues: workspaces.map { ($0, WorkspaceLimits(megabytes: 64)) }),
            freeBytes: freeMegabytes.map { $0 << 20 }, memoryBytes: memoryMegabytes << 20)
    }

    @Test func `one workspace for oneself is nothing to tell of`() { #expect(doctor(1).findings == []) }

    @Test func `it says when their number, or that of strangers, nears its limit`() {
        #expect(doctor(899).findings.first?.state == .well)
        #expect(doctor(900).findings.first?.state == .doubtful)
        let open: (inout ServerConfiguration) -> Void = {
            $0.registration.isOpen = true
            $0.registration.countMax = 10
        }
        #expect(doctor(10, registered: 8, open).findings.first?.state == .well)
        #expect(doctor(10, registered: 9, open).findings.first?.state == .doubtful)
    }

    @Test func `it says whether the disk has what they may still take`() {
        var doctor = doctor(freeMegabytes: 255)
        #expect(doctor.findings.last?.state == .doubtful)
        doctor.usage[doctor.workspaces[0]] = WorkspaceUsage(eventBytes: 1 << 20)
        #expect(doctor.findings.last?.state == .well)
        doctor.usage[doctor.workspaces[0]] = WorkspaceUsage(pictureBytes: 1 << 20)
        #expect(doctor.findings.last?.state == .well, "pictures are counted, too")
        doctor.freeBytes = nil
        #expect(doctor.findings.map(\.subject) == ["Workspaces"], "nothing is known of a database's disk")
    }

    @Test func `it says whether the memory is enough for what strangers may keep in it`() {
        func memory(_ doctor: WorkspacesDoctor) -> [Finding] { doctor.findings.filter { $0.subject == "Workspaces' memory" } }
        #expect(memory(doctor()).isEmpty, "there are none")
        #expect(memory(doctor(registered: 100, memoryMegabytes: 800)).map(\.state) == [.well])
        #expect(memory(doctor(registered: 100, memoryMegabytes: 799)).map(\.state) == [.doubtful])
        let open = doctor(memoryMegabytes: 384) { $0.registration.isOpen = true }
        #expect(memory(open).map(\.text) == ["500 strangers may take 2000 MB of the relay's 384 MB"])
    }

    @Test func `open registration needs an address that others reach`() {
        #expect(doctor { $0.registration.isOpen = true }.findings.last?.subject == "Registration")
        let reached = doctor {
            $0.registration.isOpen = true
            $0.publicURL = "https://relay.example"
        }
        #expect(reached.findings.allSatisfy { $0.state == .well })
    }
}
