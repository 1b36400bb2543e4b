/** Reads one YAML document in a thread of its own: bytes in, JSON out. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadYaml } from '../../../api/codec/yaml-body.ts';
import { parseYaml } from '../../../api/codec/yaml.ts';
import { AppError } from '../../../base/errors.ts';

const bytes = workerData as Uint8Array;
parentPort?.postMessage(read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()));

function read(text: string): ReadYaml {
	try {
		const { value, repeated } = parseYaml(text, text.length);
		return { json: JSON.stringify(value ?? null), repeated };
	} catch (error) {
		if (error instanceof AppError) return { refused: error.message };
		throw error;
	}
}
