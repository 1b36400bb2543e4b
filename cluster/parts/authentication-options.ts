/** What the API server's flags say of users that others vouch for: upstream's AuthenticationConfiguration, or its flags about OpenID Connect. */
import { AppError } from '../../base/errors.ts';
import {
	parseAuthenticationConfiguration,
	type AuthenticationConfiguration,
} from '../../controlplane/apiserver/authn/oidc/configuration.ts';
import type { JwtAuthenticator } from '../../controlplane/apiserver/authn/oidc/jwt-authenticator.ts';
import type { Flags } from './flags.ts';

export async function authenticationOf(flags: Flags): Promise<AuthenticationConfiguration> {
	const file = flags.text('authentication-config', '');
	const hasOidc = flags.given('oidc-');
	if (file !== '') {
		if (hasOidc) throw new AppError('InvalidArgument', 'authentication-config file and oidc-* flags are mutually exclusive');
		const configuration = parseAuthenticationConfiguration(await flags.read('authentication-config', ''), file);
		if (configuration.anonymous !== undefined && flags.given('anonymous-auth'))
			throw new AppError(
				'InvalidArgument',
				'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
			);
		return configuration;
	}
	if (!hasOidc) return {};
	const url = flags.text('oidc-issuer-url', '');
	const client = flags.text('oidc-client-id', '');
	if (url === '' || client === '')
		throw new AppError('InvalidArgument', 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
	if (!url.startsWith('https://')) throw new AppError('InvalidArgument', `--oidc-issuer-url "${url}" must begin with https://`);
	return { jwt: [await jwtOf(flags, url, client)] };
}

async function jwtOf(flags: Flags, url: string, client: string): Promise<JwtAuthenticator> {
	const claim = flags.text('oidc-username-claim', 'sub');
	// One that is empty is as good as none: users of an issuer must not be called like those of the cluster unless that is asked for.
	const prefix = flags.text('oidc-username-prefix', '') || (claim === 'email' ? '-' : `${url}#`);
	const groups = flags.text('oidc-groups-claim', '');
	const certificateAuthority = await flags.certificates('oidc-ca-file');
	return {
		issuer: { url, audiences: [client], ...(certificateAuthority === '' ? {} : { certificateAuthority }) },
		claimMappings: {
			username: { claim, prefix: prefix === '-' ? '' : prefix },
			...(groups === '' ? {} : { groups: { claim: groups, prefix: flags.text('oidc-groups-prefix', '') } }),
		},
		claimValidationRules: flags.list('oidc-required-claim').map((pair) => {
			const at = pair.indexOf('=');
			if (at < 1) throw new AppError('InvalidArgument', `--oidc-required-claim "${pair}" is not NAME=VALUE`);
			return { claim: pair.slice(0, at), requiredValue: pair.slice(at + 1) };
		}),
		signingAlgorithms: flags.list('oidc-signing-algs', ['RS256']),
	};
}
