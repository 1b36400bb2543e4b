/** What the API server's flags say of who may do what: upstream's validation. */
import { AppError } from '../../base/errors.ts';
import { parsePolicies } from '../../controlplane/apiserver/authz/abac.ts';
import { parseAuthorizationConfiguration, parseModes, type AuthorizerOptions } from '../../controlplane/apiserver/authz/configuration.ts';
import type { Flags } from './flags.ts';

/** Undefined: what there is unless told. */
export async function authorizersOf(flags: Flags): Promise<readonly AuthorizerOptions[] | undefined> {
	const file = flags.text('authorization-config', '');
	const modes = flags.list('authorization-mode');
	if (file !== '') {
		if (modes.length > 0 || flags.given('authorization-webhook-'))
			throw wrong('--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined');
		return parseAuthorizationConfiguration(await flags.read('authorization-config', ''), file);
	}
	checkModes(flags, modes);
	if (modes.length === 0) return undefined;
	const policyFile = flags.text('authorization-policy-file', '');
	const policies = policyFile === '' ? undefined : parsePolicies(await flags.read('authorization-policy-file', ''), policyFile);
	const target = await flags.target('authorization-webhook-config-file');
	if (target === undefined) return parseModes(modes, undefined, policies);
	const options = {
		target,
		version: flags.oneOf('authorization-webhook-version', ['v1beta1', 'v1']),
		timeoutMs: 30_000,
		authorizedMs: flags.ms('authorization-webhook-cache-authorized-ttl', 300_000),
		unauthorizedMs: flags.ms('authorization-webhook-cache-unauthorized-ttl', 30_000),
		failurePolicy: 'NoOpinion' as const,
		conditions: [],
	};
	return parseModes(modes, options, policies);
}

/** A file of a mode that is not on would be passed over in silence. */
function checkModes(flags: Flags, modes: readonly string[]): void {
	for (const [flag, mode] of [
		['authorization-policy-file', 'ABAC'],
		['authorization-webhook-config-file', 'Webhook'],
	] as const)
		if (flags.text(flag, '') !== '' && !modes.includes(mode)) throw wrong(`cannot specify --${flag} without mode ${mode}`);
	if (new Set(modes).size < modes.length)
		throw wrong(`authorization-mode [${modes.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`);
}

function wrong(why: string): AppError {
	return new AppError('InvalidArgument', why);
}
