import test from 'ava';
import { typedClaims } from './claim-types.ts';

for (const [what, claims, want] of [
	['of its types', { iss: 'i', exp: 1.5, aud: ['a'], 'kubernetes.io': { pod: { name: 'p' } } }, { iss: 'i', exp: 1, aud: ['a'] }],
	['null', { exp: null, jti: null, 'kubernetes.io': { node: null } }, { 'kubernetes.io': {} }],
	['a time beyond all', { exp: 1e30 }, { exp: -(2 ** 63) }],
] as const)
	test(`typedClaims(): ${what}`, (t) => t.like(typedClaims(claims as never), want as never));

for (const [what, claims, message] of [
	['a time in quotes', { exp: '5' }, 'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate'],
	['an audience that is a number', { aud: 3 }, 'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience'],
	['an id that is a number', { jti: 5 }, 'json: cannot unmarshal number into Go value of type string'],
	['a text for an object', { 'kubernetes.io': 'x' }, 'json: cannot unmarshal string into Go value of type serviceaccount.kubernetes'],
	['a list for a reference', { 'kubernetes.io': { pod: [] } }, 'json: cannot unmarshal array into Go value of type serviceaccount.ref'],
	['a name of a secret', { 'kubernetes.io/serviceaccount/secret.name': true }, 'json: cannot unmarshal bool into Go value of type string'],
] as const)
	test(`typedClaims(): ${what} is refused`, (t) => void t.throws(() => typedClaims(claims as never), { message }));
