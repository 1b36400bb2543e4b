/** What every CRI server must do: the cases, played on one. Two servers are compared by what this answers (test/conformance/containerd). */
import { messageOf } from '../../../base/errors.ts';
import { CONFINED_CASES } from './confined-cases.ts';
import { CONTAINER_CASES } from './container-cases.ts';
import { IMAGE_CASES } from './image-cases.ts';
import { POD_CASES } from './pod-cases.ts';
import { type CriServer, Scene } from './scene.ts';
import { STREAM_CASES } from './stream-cases.ts';

export const CRI_CASES = [...POD_CASES, ...CONTAINER_CASES, ...CONFINED_CASES, ...STREAM_CASES, ...IMAGE_CASES];

/** How many cases are led at once: most of their time they wait. */
const IN_FLIGHT = 4;
/** A bound, far beyond what any needs. */
const CASE_MS = 180_000;

/** The answers by the case's name, as JSON has them; of a case that could not be led to its end, the error. */
export async function askAll(server: CriServer, only: RegExp): Promise<Record<string, unknown>> {
	const answers: Record<string, unknown> = {};
	const cases = CRI_CASES.filter((c) => only.test(c.name));
	let next = 0;
	const worker = async (): Promise<void> => {
		for (let at = next++; at < cases.length; at = next++) {
			const one = cases[at];
			if (one === undefined) return;
			await using scene = new Scene(server, `case${at}`);
			const bound = new Promise((_, reject) => setTimeout(() => reject(new Error(`no answer within ${CASE_MS} ms`)), CASE_MS).unref());
			const answer = await Promise.race([one.answers(scene), bound]).catch((error: unknown) => ({ error: messageOf(error) }));
			answers[one.name] = JSON.parse(JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)));
		}
	};
	await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
	return answers;
}
