/** What a failed pull is called: runtimes begin what they say of some failures with a name for them (cri-api errors). Pure. */

export interface PullFailure {
	/** The container's waiting reason. */
	readonly reason: string;
	readonly message: string;
}

const NAMED: Readonly<Record<string, string>> = {
	RegistryUnavailable: 'the registry is unavailable',
	SignatureValidationFailed: 'the signature validation failed',
};

export function pullFailure(image: string, said: string): PullFailure {
	for (const [reason, why] of Object.entries(NAMED))
		if (said.startsWith(reason)) return { reason, message: `image pull failed for ${image} because ${why}${said.slice(reason.length)}` };
	return { reason: 'ErrImagePull', message: said };
}
