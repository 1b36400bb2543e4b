import test from 'ava';
import { forbidden } from '../../../api/status.ts';
import { Refusal } from '../authz/forbidden.ts';
import type { ApiRequest } from '../contracts.ts';
import { answerStatus } from './status.ts';

const PODS = { group: '', plural: 'pods' };
const request = { headers: {}, query: new URLSearchParams() } as unknown as ApiRequest;
const of = forbidden(PODS, 'p', 'why');

for (const [who, failure, want] of [
	['whoever may not', new Refusal(of.status), 'nosniff'],
	['what admission forbids', of, undefined],
] as const)
	test(`a browser is told not to guess for ${who}: ${want}`, (t) => {
		const answer = answerStatus(request, failure);
		t.is(answer.type === 'bytes' ? answer.headers['x-content-type-options'] : '', want);
	});
