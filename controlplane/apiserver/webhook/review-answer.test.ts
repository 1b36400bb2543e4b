import test from 'ava';
import { reviewIn } from './review-answer.ts';

const ASKED = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' };

for (const [what, answer] of [
	['the same kind', { ...ASKED, status: {} }],
	['another version of it', { ...ASKED, apiVersion: 'authentication.k8s.io/v1beta1' }],
	['no kind at all', { status: {} }],
] as const)
	test(`reviewIn(): ${what}`, (t) => t.is(reviewIn(answer, ASKED), answer));

for (const [what, answer, message] of [
	['nothing', undefined, '0-length response'],
	['another kind', { apiVersion: 'v1', kind: 'Pod' }, 'converting (v1.Pod) to (v1.TokenReview): unknown conversion'],
	['another group', { apiVersion: 'x/v1', kind: 'TokenReview' }, 'converting (v1.TokenReview) to (v1.TokenReview): unknown conversion'],
] as const)
	test(`reviewIn(): ${what} is none`, (t) => void t.throws(() => reviewIn(answer, ASKED), { message }));
