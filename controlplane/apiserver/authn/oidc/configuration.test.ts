/** What an AuthenticationConfiguration is refused for; what one does is told in ../authenticators.test.ts. */
import test from 'ava';
import { messageOf } from '../../../../base/errors.ts';
import { parseAuthenticationConfiguration } from './configuration.ts';

for (const [name, text, want] of [
	['another kind', 'kind: Policy', /it is no apiserver.config.k8s.io\/v1 AuthenticationConfiguration/],
	[
		'no https',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "http://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}}}]',
		/URL scheme must be https/,
	],
	[
		'no audience',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a"}, claimMappings: {username: {claim: sub, prefix: ""}}}]',
		/jwt\[0\]\.issuer\.audiences: Required value: at least one jwt\[0\]\.issuer\.audiences is required/,
	],
	[
		'no prefix',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub}}}]',
		/prefix is required when claim is set/,
	],
	[
		'a prefix that is null',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: null}}}]',
		/prefix is required when claim is set/,
	],
	[
		'an audience that is null',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [null]}, claimMappings: {username: {claim: sub, prefix: ""}}}]',
		/jwt\[0\]\.issuer\.audiences\[0\]: Invalid value: null: must be a string/,
	],
	['nothing', '', /it is no apiserver.config.k8s.io\/v1 AuthenticationConfiguration/],
	[
		'no expression',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {expression: "claims."}}}]',
		/Syntax error/,
	],
	[
		'conditions of nothing',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\nanonymous: {enabled: false, conditions: [{path: /livez}]}',
		/enabled should be set to true/,
	],
	[
		'a misspelt rule',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}}, userValidationRule: [{expression: "false"}]}]',
		/strict decoding error: unknown field "jwt\[0\]\.userValidationRule"/,
	],
	[
		'a rule that is a text',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}}, claimValidationRules: [no]}]',
		/claimValidationRules\[0\]: Invalid value: "no": must be a map/,
	],
	[
		'a rule of nothing',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}}, claimValidationRules: [{message: m}]}]',
		/claimValidationRules\[0\]: Required value: claim or expression is required/,
	],
	[
		'a rule of both',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}}, claimValidationRules: [{claim: a, expression: "true"}]}]',
		/claimValidationRules\[0\]: Invalid value: "a": claim and expression can't both be set/,
	],
	[
		'a rule that is no condition',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}}, userValidationRules: [{expression: "user.username"}]}]',
		/userValidationRules\[0\]\.expression: Invalid value: "user.username": must evaluate to bool/,
	],
	[
		'a key of Kubernetes',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ""}, extra: [{key: authentication.kubernetes.io/pod-name, valueExpression: claims.p}]}}]',
		/extra\[0\]\.key: Invalid value: "authentication.kubernetes.io\/pod-name": k8s.io, kubernetes.io and their subdomains are reserved/,
	],
	[
		'an address nobody verified',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {expression: claims.email}}}]',
		/claims\.email_verified must be used in/,
	],
	[
		'a query',
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://u:p@a?b=c", audiences: [a, a], audienceMatchPolicy: x}, claimMappings: {username: {claim: sub, prefix: ""}}}]',
		/must not contain a username or password; .*must not contain a query; jwt\[0\]\.issuer\.audiences\[1\]: Duplicate value: "a"; .*must be MatchAny for multiple audiences/,
	],
] as const)
	test(`a wrong AuthenticationConfiguration is refused: ${name}`, (t) => {
		const error = t.throws(() => parseAuthenticationConfiguration(text, 'a.yaml'));
		t.regex(messageOf(error), want);
	});

test('an AuthenticationConfiguration may name users by an address that a rule holds to be verified', (t) => {
	const jwt = (more: string): string =>
		`apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {url: "https://a", audiences: [a]}, claimMappings: {username: {expression: claims.email}}, ${more}}]`;
	const rule = 'claimValidationRules: [{expression: "claims.?email_verified.orValue(true) == true"}]';
	t.is(parseAuthenticationConfiguration(jwt(rule), 'a.yaml').jwt?.length, 1);
});

test('fields of an AuthenticationConfiguration that are null are not there', (t) => {
	const text =
		'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\nanonymous: null\njwt: [{issuer: {url: "https://a", audiences: [a], discoveryURL: null}, claimMappings: {username: {claim: sub, prefix: "", expression: null}, groups: null}, userValidationRules: null}]';
	t.deepEqual(parseAuthenticationConfiguration(text, 'a.yaml').jwt, [
		{ issuer: { url: 'https://a', audiences: ['a'] }, claimMappings: { username: { claim: 'sub', prefix: '' } } },
	]);
});
