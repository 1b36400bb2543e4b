import test from 'ava';
import type { FieldError } from '../../field-error.ts';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../gen/types.ts';
import { certificateApproval, certificateSigningRequestUpdate, certificateStatus, signerName } from './certificates.ts';

type Condition = CertificateSigningRequestCondition;

const condition = (type: string, reason = 'x'): Condition => ({ type, status: 'True', reason }) as Condition;
const request = (...conditions: readonly Condition[]): CertificateSigningRequest =>
	({
		metadata: { name: 'a', resourceVersion: '1' },
		spec: {},
		status: { conditions: [...conditions] },
	}) as unknown as CertificateSigningRequest;

const RULES = { update: certificateSigningRequestUpdate, approval: certificateApproval, status: certificateStatus };
const may = (verb: string, type: string): string => `status.conditions: Forbidden: updates may not ${verb} a condition of type "${type}"`;

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
