/// Number of one of a host's keys: from 1, and one more each time that a device must not be able to read what comes next.
package typealias EpochNumber = UInt32

/// The secret from which the keys of all sessions of one host in one epoch are derived. 32 random bytes.
package typealias EpochKey = FixedBytes<EpochKeyForm>
/// Random, and used once with its key.
package typealias SealingNonce = FixedBytes<SealingNonceForm>

package enum EpochKeyForm: FixedForm { package static let count = 32 }
package enum SealingNonceForm: FixedForm { package static let count = 12 }
