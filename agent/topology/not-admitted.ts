/** Why a container's resources cannot be given, where upstream has a reason of its own for it. */

export class NotAdmitted extends Error {
	override readonly name = 'NotAdmitted';
	readonly reason: 'TopologyAffinityError' | 'SMTAlignmentError';

	constructor(reason: NotAdmitted['reason'], message: string) {
		super(message);
		this.reason = reason;
	}
}
