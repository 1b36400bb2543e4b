import test from 'ava';
import type { FieldError } from '../../field-error.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../gen/types.ts';
import {
	certificateApproval,
	certificateSigningRequest,
	certificateSigningRequestUpdate,
	certificateStatus,
	signerName,
} from './certificates.ts';

type Condition = CertificateSigningRequestCondition;

const condition = (type: string, reason = 'x'): Condition => ({ type, status: 'True', reason }) as Condition;
const PEM = (type: string, headers = ''): string =>
	Buffer.from(`-----BEGIN ${type}-----\n${headers}MAA=\n-----END ${type}-----\n`).toString('base64');
const SPEC = { request: PEM('CERTIFICATE REQUEST'), usages: ['client auth'], signerName: 'a.b/c' };
const asking = (spec: object, ...conditions: readonly Condition[]): CertificateSigningRequest =>
	({
		metadata: { name: 'a', resourceVersion: '1' },
		spec: { ...SPEC, ...spec },
		status: { conditions: [...conditions] },
	}) as unknown as CertificateSigningRequest;
const request = (...conditions: readonly Condition[]): CertificateSigningRequest => asking({}, ...conditions);

const RULES = { update: certificateSigningRequestUpdate, approval: certificateApproval, status: certificateStatus };
const may = (verb: string, type: string): string => `status.conditions: Forbidden: updates may not ${verb} a condition of type "${type}"`;
const exclusive = (type: string): string =>
	`status.conditions: Invalid value: "${type}": Approved and Denied conditions are mutually exclusive`;

for (const [through, before, after, want] of [
	['approval', request(), request(condition('Approved')), []],
	['approval', request(condition('Approved')), request(condition('Denied')), [may('remove', 'Approved')]],
	['approval', request(condition('Approved')), request(condition('Approved', 'y')), []],
	['approval', request(condition('Failed')), request(), [may('remove', 'Failed')]],
	['status', request(condition('Failed')), request(), [may('remove', 'Failed')]],
	['status', request(), request(condition('Failed')), []],
	['status', request(), request(condition('Approved')), [may('add', 'Approved')]],
	['status', request(condition('Denied')), request(), [may('remove', 'Denied')]],
	['status', request(condition('Denied')), request(condition('Denied', 'y')), [may('modify', 'Denied')]],
	['update', request(), request(condition('Denied')), [may('add', 'Denied')]],
	['approval', request(), request(condition('Denied'), condition('Approved')), [exclusive('Approved')]],
	['approval', request(), request(condition('Approved'), condition('x'), condition('Denied')), [exclusive('Denied')]],
	['update', request(condition('Approved'), condition('Denied')), request(condition('Approved'), condition('Denied')), []],
	['update', request(condition('x'), condition('x')), request(condition('x'), condition('x'), condition('y'), condition('y')), []],
	['status', request(condition('x')), request(condition('x'), condition('x')), ['status.conditions[1].type: Duplicate value: "x"']],
	['update', request(condition('')), request(condition('')), []],
	['status', request(), request(condition('')), ['status.conditions[0].type: Required value']],
] as const)
	test(`certificates: ${through} from ${JSON.stringify(before.status)} to ${JSON.stringify(after.status)}`, (t) => {
		const out: FieldError[] = [];
		RULES[through](out, after, before);
		t.deepEqual(
			out.map(({ field, message }) => `${field}: ${message.split('\n')[0]}`),
			want,
		);
	});

test('of the path of a signer, the first part that is wrong is told of', (t) => {
	const out: FieldError[] = [];
	signerName(out, 'spec.signerName', 'a.b/c..D');
	t.is(out.length, 1);
	t.regex(out[0]?.message ?? '', /^Invalid value: "c\.\.D": validating label "": /);
});

const LABEL = 'a lowercase RFC 1123 label must consist of';
for (const [name, want] of [
	['a', ['must be a fully qualified domain and path']],
	['/x', [`validating label "": ${LABEL}`, 'should be a domain with at least two segments']],
	['a.b/', ['validating label "": a lowercase RFC 1123 subdomain']],
	[`${'a.'.repeat(127)}a/x`, ['Too long: may not be more than 253 bytes']],
] as const)
	test(`signers: "${name.slice(0, 10)}"`, (t) => {
		const out: FieldError[] = [];
		signerName(out, 'spec.signerName', name);
		t.is(out.length, want.length);
		for (const [i, text] of want.entries()) t.true(out[i]?.message.includes(text), out[i]?.message);
	});

test('certificates: what is signed is one', (t) => {
	const out: FieldError[] = [];
	const object = { ...request(), status: { certificate: PEM('CERTIFICATE') } } as unknown as CertificateSigningRequest;
	certificateStatus(out, object, request());
	t.deepEqual(
		out.map(({ field, message }) => `${field}: ${message}`),
		['status.certificate: Invalid value: "<certificate data>": x509: malformed tbs certificate'],
	);
	const kept: FieldError[] = [];
	certificateStatus(kept, object, object);
	t.deepEqual(kept, []);
});

test('requests: usages that are none come before those that are there twice, and the signer of old is none', (t) => {
	const out: FieldError[] = [];
	const usages = ['client auth', 'client auth', 'x'];
	const spec = { request: PEM('CERTIFICATE REQUEST'), usages, signerName: 'kubernetes.io/legacy-unknown' };
	certificateSigningRequest(out, { metadata: { name: 'a' }, spec } as unknown as CertificateSigningRequest);
	t.deepEqual(
		out.map(({ field, message }) => `${field}: ${message.split(': supported')[0]}`),
		[
			'spec.usages[2]: Unsupported value: "x"',
			'spec.usages[1]: Duplicate value: "client auth"',
			'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
		],
	);
});

for (const [what, before, after, want] of [
	['what it asks for is looked at again', { usages: [], expirationSeconds: 1 }, {}, ['spec.usages', 'spec.expirationSeconds']],
	['its text, too', { request: '' }, {}, ['spec.request']],
	['usages that are none stay', { usages: ['x'] }, { usages: ['x', 'y'] }, []],
	['not by those that are there twice', { usages: ['any', 'any'] }, { usages: ['any', 'any', 'x'] }, ['spec.usages[2]']],
	['and so on', { usages: ['x'] }, { usages: ['x', 'x'] }, ['spec.usages[1]']],
	['the signer of old stays', { signerName: 'kubernetes.io/legacy-unknown' }, {}, []],
] as const)
	test(`certificates: on updates ${what}`, (t) => {
		const out: FieldError[] = [];
		certificateSigningRequestUpdate(out, asking({ ...before, ...after }), asking(before));
		t.deepEqual(
			out.map(({ field }) => field),
			[...want],
		);
	});
