
/**
 * Called by the script of a live page with the address of its stream, and the function that changes a part of the page into another.
 * @param {string} address
 * @param {Function} morph
 */
export function live(address, morph) {
const ptr0 = passStringToWasm0(address, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len0 = WASM_VECTOR_LEN;
wasm.live(ptr0, len0, morph);
}
function __wbg_get_imports() {
            const import0 = {
            __proto__: null,
        __wbg___wbindgen_is_function_741ff2bb612836f5: function(arg0) {
const ret = typeof(arg0) === 'function';
return ret;
},
__wbg___wbindgen_is_undefined_be5b34249ff1fc15: function(arg0) {
const ret = arg0 === undefined;
return ret;
},
__wbg___wbindgen_string_get_7ce8eee7fd327545: function(arg0, arg1) {
const obj = arg1;
const ret = typeof(obj) === 'string' ? obj : undefined;
var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
var len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg___wbindgen_throw_4c88d8bf264fd984: function(arg0, arg1) {
throw new Error(getStringFromWasm0(arg0, arg1));
},
__wbg__wbg_cb_unref_09736879a3f67559: function(arg0) {
arg0._wbg_cb_unref();
},
__wbg_addEventListener_847fd86b8c33ec43: function() { return handleError(function (arg0, arg1, arg2, arg3) {
arg0.addEventListener(getStringFromWasm0(arg1, arg2), arg3);
}, arguments); },
__wbg_call_fc92fee6137d452d: function() { return handleError(function (arg0, arg1, arg2, arg3) {
const ret = arg0.call(arg1, arg2, arg3);
return ret;
}, arguments); },
__wbg_close_8fd1fa1823bd1120: function(arg0) {
arg0.close();
},
__wbg_document_3b5c3071b43e97ee: function(arg0) {
const ret = arg0.document;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_fetch_c30fc2ed77d76a76: function(arg0, arg1, arg2) {
const ret = arg0.fetch(getStringFromWasm0(arg1, arg2));
return ret;
},
__wbg_getAttribute_c7b80d4010284561: function(arg0, arg1, arg2, arg3) {
const ret = arg1.getAttribute(getStringFromWasm0(arg2, arg3));
var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
var len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_get_0c55869fe53c7d14: function(arg0, arg1) {
const ret = arg0[arg1 >>> 0];
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_href_a0128fb7c568d8e5: function() { return handleError(function (arg0, arg1) {
const ret = arg1.href;
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
}, arguments); },
__wbg_instanceof_Element_05dbb22ded594343: function(arg0) {
let result;
try {
result = arg0 instanceof Element;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
__wbg_instanceof_Window_5cf453f5639aa1a2: function(arg0) {
let result;
try {
result = arg0 instanceof Window;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
__wbg_length_9aab85334c5daf3f: function(arg0) {
const ret = arg0.length;
return ret;
},
__wbg_location_7320782274fc691b: function(arg0) {
const ret = arg0.location;
return ret;
},
__wbg_new_6b8a0b92b4e85f6d: function() { return handleError(function () {
const ret = new DOMParser();
return ret;
}, arguments); },
__wbg_new_e7d0531ccb4ed9c3: function() { return handleError(function (arg0, arg1) {
const ret = new EventSource(getStringFromWasm0(arg0, arg1));
return ret;
}, arguments); },
__wbg_ok_670a05555db5f713: function(arg0) {
const ret = arg0.ok;
return ret;
},
__wbg_parseFromString_d9dabe5c55062aa1: function() { return handleError(function (arg0, arg1, arg2, arg3) {
const ret = arg0.parseFromString(getStringFromWasm0(arg1, arg2), __wbindgen_enum_SupportedType[arg3]);
return ret;
}, arguments); },
__wbg_querySelectorAll_6c1bd81d448fb480: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.querySelectorAll(getStringFromWasm0(arg1, arg2));
return ret;
}, arguments); },
__wbg_querySelector_72201b7c62dc196b: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.querySelector(getStringFromWasm0(arg1, arg2));
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
}, arguments); },
__wbg_queueMicrotask_1e8503a8a690f0a3: function(arg0) {
const ret = arg0.queueMicrotask;
return ret;
},
__wbg_queueMicrotask_4a1a4d8dd332373b: function(arg0) {
queueMicrotask(arg0);
},
__wbg_readyState_a65a606eda346fdd: function(arg0) {
const ret = arg0.readyState;
return ret;
},
__wbg_redirected_f6975756fc89c2ab: function(arg0) {
const ret = arg0.redirected;
return ret;
},
__wbg_reload_a46804ad57f539bf: function() { return handleError(function (arg0) {
arg0.reload();
}, arguments); },
__wbg_resolve_dbf78ab4942478b0: function(arg0) {
const ret = Promise.resolve(arg0);
return ret;
},
__wbg_setAttribute_f75317b2b5cabfb4: function() { return handleError(function (arg0, arg1, arg2, arg3, arg4) {
arg0.setAttribute(getStringFromWasm0(arg1, arg2), getStringFromWasm0(arg3, arg4));
}, arguments); },
__wbg_setTimeout_9ef22b48643bd7de: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.setTimeout(arg1, arg2);
return ret;
}, arguments); },
__wbg_set_innerHTML_a9d3a267967b5117: function(arg0, arg1, arg2) {
arg0.innerHTML = getStringFromWasm0(arg1, arg2);
},
__wbg_set_onerror_357687340e1d996a: function(arg0, arg1) {
arg0.onerror = arg1;
},
__wbg_set_onopen_21b318cfa098d854: function(arg0, arg1) {
arg0.onopen = arg1;
},
__wbg_set_textContent_0177b2a6d9293c2c: function(arg0, arg1, arg2) {
arg0.textContent = arg1 === 0 ? undefined : getStringFromWasm0(arg1, arg2);
},
__wbg_set_title_7c9f7c08b10ea16a: function(arg0, arg1, arg2) {
arg0.title = getStringFromWasm0(arg1, arg2);
},
__wbg_static_accessor_GLOBAL_THIS_003ee833af9699fc: function() {
const ret = typeof globalThis === 'undefined' ? undefined : globalThis;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_static_accessor_GLOBAL_e4293fb22cbe77da: function() {
const ret = typeof global === 'undefined' ? undefined : global;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_static_accessor_SELF_53bb20457401453d: function() {
const ret = typeof self === 'undefined' ? undefined : self;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_static_accessor_WINDOW_b5e0810bfecb7feb: function() {
const ret = typeof window === 'undefined' ? undefined : window;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_status_cb85b6c8d1769fa1: function(arg0) {
const ret = arg0.status;
return ret;
},
__wbg_textContent_240d7f8264a6246e: function(arg0, arg1) {
const ret = arg1.textContent;
var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
var len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_text_5240eb2c41de8292: function() { return handleError(function (arg0) {
const ret = arg0.text();
return ret;
}, arguments); },
__wbg_then_656f253a5dd7d8ea: function(arg0, arg1, arg2) {
const ret = arg0.then(arg1, arg2);
return ret;
},
__wbg_then_e3f7f2d365708be8: function(arg0, arg1) {
const ret = arg0.then(arg1);
return ret;
},
__wbg_title_197eec64ce56dd78: function(arg0, arg1) {
const ret = arg1.title;
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_visibilityState_b1951b0d978d7cf3: function(arg0) {
const ret = arg0.visibilityState;
return (__wbindgen_enum_VisibilityState.indexOf(ret) + 1 || 3) - 1;
},
__wbindgen_generic_0000000000000001: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [Externref], shim_idx: 9, ret: Result(Unit), inner_ret: Some(Result(Unit)) }, mutable: true }) -> Externref`.
const ret = makeMutClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__h332025d848aac39a);
return ret;
},
__wbindgen_generic_0000000000000002: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [], shim_idx: 1, ret: Unit, inner_ret: Some(Unit) }, mutable: true }) -> Externref`.
const ret = makeMutClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__h9be54f9a3259b1d4);
return ret;
},
__wbindgen_init_externref_table: function() {
const table = wasm.__wbindgen_externrefs;
table.set(0, undefined);
table.set(1024, undefined);
table.set(1025, null);
table.set(1026, true);
table.set(1027, false);
},
};
        return {
            __proto__: null,
            "./portal_bg.js": import0,
        };
}

function wasm_bindgen__convert__closures_____invoke__h9be54f9a3259b1d4(arg0, arg1) {
wasm.wasm_bindgen__convert__closures_____invoke__h9be54f9a3259b1d4(arg0, arg1);
}

function wasm_bindgen__convert__closures_____invoke__h332025d848aac39a(arg0, arg1, arg2) {
const ret = wasm.wasm_bindgen__convert__closures_____invoke__h332025d848aac39a(arg0, arg1, arg2);
if (ret[1]) {
throw takeFromExternrefTable0(ret[0]);
}
}


const __wbindgen_enum_SupportedType = ["text/html", "text/xml", "application/xml", "application/xhtml+xml", "image/svg+xml"];


const __wbindgen_enum_VisibilityState = ["hidden", "visible"];

function addToExternrefTable0(obj) {
                    const idx = wasm.__externref_table_alloc();
                    wasm.__wbindgen_externrefs.set(idx, obj);
                    return idx;
                }

const CLOSURE_DTORS = (typeof FinalizationRegistry === 'undefined')
                        ? { register: () => {}, unregister: () => {} }
                        : new FinalizationRegistry(state => wasm.__wbindgen_destroy_closure(state.a, state.b));

let cachedDataViewMemory0 = null;
                function getDataViewMemory0() {
                    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)) {
                        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
                    }
                    return cachedDataViewMemory0;
                }

function getStringFromWasm0(ptr, len) {
                    ptr = ptr >>> 0;
                    return decodeText(getUint8ArrayMemory0().subarray(ptr, ptr + len));
                }

let cachedUint8ArrayMemory0 = null;
                function getUint8ArrayMemory0() {
                    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
                        cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
                    }
                    return cachedUint8ArrayMemory0;
                }

function handleError(f, args) {
                            try {
                                return f.apply(this, args);
                            } catch (e) {
                                const idx = addToExternrefTable0(e);
                                wasm.__wbindgen_exn_store(idx);
                            }
                        }

function isLikeNone(x) {
                return x === undefined || x === null;
            }

function makeMutClosure(arg0, arg1, f) {
                    const state = { a: arg0, b: arg1, cnt: 1 };
                    const real = (...args) => {
                        
                        // First up with a closure we increment the internal reference
                        // count. This ensures that the Rust closure environment won't
                        // be deallocated while we're invoking it.
                        state.cnt++;
                        const a = state.a;
                        state.a = 0;
                        try {
                            return f(a, state.b, ...args);
                        } finally {
                            state.a = a;
                            real._wbg_cb_unref();
                        }
                    };
                    real._wbg_cb_unref = () => {
                        if (--state.cnt === 0) {
                            wasm.__wbindgen_destroy_closure(state.a, state.b);
                            state.a = 0;
                            CLOSURE_DTORS.unregister(state);
                        }
                    };
                    CLOSURE_DTORS.register(real, state, state);
                    return real;
                }

function passStringToWasm0(arg, malloc, realloc) {
                    if (realloc === undefined) {
                    const buf = cachedTextEncoder.encode(arg);
                    const ptr = malloc(buf.length, 1) >>> 0;
                    getUint8ArrayMemory0().subarray(ptr, ptr + buf.length).set(buf);
                    WASM_VECTOR_LEN = buf.length;
                    return ptr;
                }

                let len = arg.length;
                let ptr = malloc(len, 1) >>> 0;

                const mem = getUint8ArrayMemory0();

                let offset = 0;

                for (; offset < len; offset++) {
                    const code = arg.charCodeAt(offset);
                    if (code > 0x7F) break;
                    mem[ptr + offset] = code;
                }
            if (offset !== len) {
                        if (offset !== 0) {
                            arg = arg.slice(offset);
                        }
                        ptr = realloc(ptr, len, len = offset + arg.length * 3, 1) >>> 0;
                        const view = getUint8ArrayMemory0().subarray(ptr + offset, ptr + len);
                        const ret = cachedTextEncoder.encodeInto(arg, view);
                        
                        offset += ret.written;
                        ptr = realloc(ptr, len, offset, 1) >>> 0;
                    }

                    WASM_VECTOR_LEN = offset;
                    return ptr;
                }

function takeFromExternrefTable0(idx) {
                    const value = wasm.__wbindgen_externrefs.get(idx);
                    wasm.__externref_table_dealloc(idx);
                    return value;
                }

let cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
cachedTextDecoder.decode();
                        const MAX_SAFARI_DECODE_BYTES = 2146435072;
                        let numBytesDecoded = 0;
                        function decodeText(bytes) {
                            numBytesDecoded += bytes.length;
                            if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES) {
                                cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
                                cachedTextDecoder.decode();
                                numBytesDecoded = bytes.length;
                            }
                            return cachedTextDecoder.decode(bytes);
                        }

const cachedTextEncoder = new TextEncoder();

                        if (!('encodeInto' in cachedTextEncoder)) {
                            cachedTextEncoder.encodeInto = function (arg, view) {
                const buf = cachedTextEncoder.encode(arg);
                view.set(buf);
                return {
                    read: arg.length,
                    written: buf.length
                };
            };
                        }

let WASM_VECTOR_LEN = 0;

let wasmModule, wasmInstance, wasm;
            function __wbg_finalize_init(instance, module) {
                wasmInstance = instance;
                wasm = instance.exports;
                wasmModule = module;
                cachedDataViewMemory0 = null;
cachedUint8ArrayMemory0 = null;
wasm.__wbindgen_start();
return wasm;
            }

            async function __wbg_load(module, imports) {
                if (typeof Response === 'function' && module instanceof Response) {
                    if (!module.ok) {
                        throw new Error(`failed to fetch Wasm: ${module.status} ${module.statusText} fetching '${module.url}'`);
                    }

                    if (typeof WebAssembly.instantiateStreaming === 'function') {
                        try {
                            return await WebAssembly.instantiateStreaming(module, imports);
                        } catch (e) {
                            const validResponse = expectedResponseType(module.type);

                            if (validResponse && module.headers.get('Content-Type') !== 'application/wasm') {
                                console.warn("`WebAssembly.instantiateStreaming` failed because your server does not serve Wasm with `application/wasm` MIME type. Falling back to `WebAssembly.instantiate` which is slower. Original error:\n", e);

                            } else { throw e; }
                        }
                    }

                    const bytes = await module.arrayBuffer();
                    return await WebAssembly.instantiate(bytes, imports);
                } else {
                    const instance = await WebAssembly.instantiate(module, imports);

                    if (instance instanceof WebAssembly.Instance) {
                        return { instance, module };
                    } else {
                        return instance;
                    }
                }

                function expectedResponseType(type) {
                    switch (type) {
                        case 'basic': case 'cors': case 'default': return true;
                    }
                    return false;
                }
            }

            function initSync(module) {
                if (wasm !== undefined) return wasm;

                
                if (module !== undefined) {
                    if (Object.getPrototypeOf(module) === Object.prototype) {
                        ({module} = module)
                    } else {
                        console.warn('using deprecated parameters for `initSync()`; pass a single object instead')
                    }
                }

                const imports = __wbg_get_imports();
                if (!(module instanceof WebAssembly.Module)) {
                    module = new WebAssembly.Module(module);
                }
                const instance = new WebAssembly.Instance(module, imports);
                return __wbg_finalize_init(instance, module);
            }

            let __wbg_init_promise;
            async function __wbg_init(module_or_path) {
                if (wasm !== undefined) return wasm;
                if (__wbg_init_promise === undefined) {
                    __wbg_init_promise = __wbg_init_once(module_or_path);
                    __wbg_init_promise.catch(() => { __wbg_init_promise = undefined; });
                }
                return __wbg_init_promise;
            }

            async function __wbg_init_once(module_or_path) {
                
                if (module_or_path !== undefined) {
                    if (Object.getPrototypeOf(module_or_path) === Object.prototype) {
                        ({module_or_path} = module_or_path)
                    } else {
                        console.warn('using deprecated parameters for the initialization function; pass a single object instead')
                    }
                }

                
                const imports = __wbg_get_imports();

                if (typeof module_or_path === 'string' || (typeof Request === 'function' && module_or_path instanceof Request) || (typeof URL === 'function' && module_or_path instanceof URL)) {
                    module_or_path = fetch(module_or_path);
                }

                const { instance, module } = await __wbg_load(await module_or_path, imports);

                return __wbg_finalize_init(instance, module);
            }
            
export { initSync, __wbg_init as default };