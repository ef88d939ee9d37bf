
export class IntoUnderlyingByteSource {
__destroy_into_raw() {
                const ptr = this.__wbg_ptr;
this.__wbg_ptr = 0;
IntoUnderlyingByteSourceFinalization.unregister(this);
return ptr;
            }
            free() {
                const ptr = this.__destroy_into_raw();
                wasm.__wbg_intounderlyingbytesource_free(ptr, 0);
            }
            /**
 * @returns {number}
 */
get autoAllocateChunkSize() {
const ret = wasm.intounderlyingbytesource_autoAllocateChunkSize(this.__wbg_ptr);
return ret >>> 0;
}
cancel() {
const ptr = this.__destroy_into_raw();
wasm.intounderlyingbytesource_cancel(ptr);
}
/**
 * @param {ReadableByteStreamController} controller
 * @returns {Promise<any>}
 */
pull(controller) {
const ret = wasm.intounderlyingbytesource_pull(this.__wbg_ptr, controller);
return ret;
}
/**
 * @param {ReadableByteStreamController} controller
 */
start(controller) {
wasm.intounderlyingbytesource_start(this.__wbg_ptr, controller);
}
/**
 * @returns {ReadableStreamType}
 */
get type() {
const ret = wasm.intounderlyingbytesource_type(this.__wbg_ptr);
return __wbindgen_enum_ReadableStreamType[ret];
}
}
if (Symbol.dispose) IntoUnderlyingByteSource.prototype[Symbol.dispose] = IntoUnderlyingByteSource.prototype.free;

export class IntoUnderlyingSink {
__destroy_into_raw() {
                const ptr = this.__wbg_ptr;
this.__wbg_ptr = 0;
IntoUnderlyingSinkFinalization.unregister(this);
return ptr;
            }
            free() {
                const ptr = this.__destroy_into_raw();
                wasm.__wbg_intounderlyingsink_free(ptr, 0);
            }
            /**
 * @param {any} reason
 * @returns {Promise<any>}
 */
abort(reason) {
const ptr = this.__destroy_into_raw();
const ret = wasm.intounderlyingsink_abort(ptr, reason);
return ret;
}
/**
 * @returns {Promise<any>}
 */
close() {
const ptr = this.__destroy_into_raw();
const ret = wasm.intounderlyingsink_close(ptr);
return ret;
}
/**
 * @param {any} chunk
 * @returns {Promise<any>}
 */
write(chunk) {
const ret = wasm.intounderlyingsink_write(this.__wbg_ptr, chunk);
return ret;
}
}
if (Symbol.dispose) IntoUnderlyingSink.prototype[Symbol.dispose] = IntoUnderlyingSink.prototype.free;

export class IntoUnderlyingSource {
__destroy_into_raw() {
                const ptr = this.__wbg_ptr;
this.__wbg_ptr = 0;
IntoUnderlyingSourceFinalization.unregister(this);
return ptr;
            }
            free() {
                const ptr = this.__destroy_into_raw();
                wasm.__wbg_intounderlyingsource_free(ptr, 0);
            }
            cancel() {
const ptr = this.__destroy_into_raw();
wasm.intounderlyingsource_cancel(ptr);
}
/**
 * @param {ReadableStreamDefaultController} controller
 * @returns {Promise<any>}
 */
pull(controller) {
const ret = wasm.intounderlyingsource_pull(this.__wbg_ptr, controller);
return ret;
}
}
if (Symbol.dispose) IntoUnderlyingSource.prototype[Symbol.dispose] = IntoUnderlyingSource.prototype.free;

/**
 * @param {HTMLElement} el
 */
export function Palette_14393595408120886304(el) {
wasm.Palette_14393595408120886304(el);
}

/**
 * Prepares islands; the script then hydrates each by its name. `morph` changes a part of the page into another.
 * @param {Function} morph
 */
export function hydrate(morph) {
wasm.hydrate(morph);
}
function __wbg_get_imports() {
            const import0 = {
            __proto__: null,
        __wbg___wbindgen_debug_string_f249a2a76caa9a55: function(arg0, arg1) {
const ret = debugString(arg1);
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg___wbindgen_is_falsy_d864b623500ae65d: function(arg0) {
const ret = !arg0;
return ret;
},
__wbg___wbindgen_is_function_741ff2bb612836f5: function(arg0) {
const ret = typeof(arg0) === 'function';
return ret;
},
__wbg___wbindgen_is_null_c22311b1cc228e3a: function(arg0) {
const ret = arg0 === null;
return ret;
},
__wbg___wbindgen_is_undefined_be5b34249ff1fc15: function(arg0) {
const ret = arg0 === undefined;
return ret;
},
__wbg___wbindgen_number_get_934b640d0889af78: function(arg0, arg1) {
const obj = arg1;
const ret = typeof(obj) === 'number' ? obj : undefined;
getDataViewMemory0().setFloat64((arg0 >>> 0) + 8 * 1, isLikeNone(ret) ? 0 : ret, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, !isLikeNone(ret), true);
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
__wbg_assign_fb94d6eb5054e51b: function() { return handleError(function (arg0, arg1, arg2) {
arg0.assign(getStringFromWasm0(arg1, arg2));
}, arguments); },
__wbg_body_5f971cbc6950ca4f: function(arg0) {
const ret = arg0.body;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_buffer_aca05a93c046db1a: function(arg0) {
const ret = arg0.buffer;
return ret;
},
__wbg_byobRequest_18280c78e462544c: function(arg0) {
const ret = arg0.byobRequest;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_byteLength_c5f3c188d5252e5b: function(arg0) {
const ret = arg0.byteLength;
return ret;
},
__wbg_byteOffset_63cdc7b38f33a45e: function(arg0) {
const ret = arg0.byteOffset;
return ret;
},
__wbg_call_a410eb4b59ed5965: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.call(arg1, arg2);
return ret;
}, arguments); },
__wbg_cancelBubble_1164dd588f0c3481: function(arg0) {
const ret = arg0.cancelBubble;
return ret;
},
__wbg_click_c6eff13daacf9806: function(arg0) {
arg0.click();
},
__wbg_cloneNode_36b90700fd8dbbb0: function() { return handleError(function (arg0) {
const ret = arg0.cloneNode();
return ret;
}, arguments); },
__wbg_close_294d3f727cb7a844: function() { return handleError(function (arg0) {
arg0.close();
}, arguments); },
__wbg_close_4c46ff8802ca60e6: function(arg0) {
arg0.close();
},
__wbg_close_bf94aa7e38b9a94b: function() { return handleError(function (arg0) {
arg0.close();
}, arguments); },
__wbg_composedPath_99300fc960717ac7: function(arg0) {
const ret = arg0.composedPath();
return ret;
},
__wbg_createComment_bf8f324d5ce3d460: function(arg0, arg1, arg2) {
const ret = arg0.createComment(getStringFromWasm0(arg1, arg2));
return ret;
},
__wbg_createElement_de4a31ed2fb252be: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.createElement(getStringFromWasm0(arg1, arg2));
return ret;
}, arguments); },
__wbg_createTextNode_2b48c3fc75dfcc67: function(arg0, arg1, arg2) {
const ret = arg0.createTextNode(getStringFromWasm0(arg1, arg2));
return ret;
},
__wbg_deleteProperty_3ad7a085da623822: function() { return handleError(function (arg0, arg1) {
const ret = Reflect.deleteProperty(arg0, arg1);
return ret;
}, arguments); },
__wbg_document_3b5c3071b43e97ee: function(arg0) {
const ret = arg0.document;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_encodeURIComponent_e0d7769acee2dcb5: function(arg0, arg1) {
const ret = encodeURIComponent(getStringFromWasm0(arg0, arg1));
return ret;
},
__wbg_enqueue_c11626eae1c54509: function() { return handleError(function (arg0, arg1) {
arg0.enqueue(arg1);
}, arguments); },
__wbg_fetch_c30fc2ed77d76a76: function(arg0, arg1, arg2) {
const ret = arg0.fetch(getStringFromWasm0(arg1, arg2));
return ret;
},
__wbg_firstChild_8ba00f6fe3423297: function(arg0) {
const ret = arg0.firstChild;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
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
__wbg_get_2080c49015e35254: function() { return handleError(function (arg0, arg1) {
const ret = Reflect.get(arg0, arg1);
return ret;
}, arguments); },
__wbg_get_d7176cfb76d71114: function(arg0, arg1) {
const ret = arg0[arg1 >>> 0];
return ret;
},
__wbg_get_unchecked_e6325ad374eff861: function(arg0, arg1) {
const ret = arg0[arg1 >>> 0];
return ret;
},
__wbg_host_64d73c152c626ec8: function(arg0) {
const ret = arg0.host;
return ret;
},
__wbg_insertBefore_10ab0c19b463c12b: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.insertBefore(arg1, arg2);
return ret;
}, arguments); },
__wbg_instanceof_Comment_bfd1506fe17a7c2f: function(arg0) {
let result;
try {
result = arg0 instanceof Comment;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
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
__wbg_instanceof_HtmlAnchorElement_fee0a0613fd8e6aa: function(arg0) {
let result;
try {
result = arg0 instanceof HTMLAnchorElement;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
__wbg_instanceof_HtmlElement_ea32ea7121e0a496: function(arg0) {
let result;
try {
result = arg0 instanceof HTMLElement;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
__wbg_instanceof_HtmlInputElement_28751c98d77a5a65: function(arg0) {
let result;
try {
result = arg0 instanceof HTMLInputElement;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
__wbg_instanceof_ShadowRoot_cd78159e03fed884: function(arg0) {
let result;
try {
result = arg0 instanceof ShadowRoot;
} catch (_) {
result = false;
}
const ret = result;
return ret;
},
__wbg_instanceof_Text_c519cb08a0504f21: function(arg0) {
let result;
try {
result = arg0 instanceof Text;
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
__wbg_isArray_bcf1376d0d732d08: function(arg0) {
const ret = Array.isArray(arg0);
return ret;
},
__wbg_is_2248ff2b575d60c7: function(arg0, arg1) {
const ret = Object.is(arg0, arg1);
return ret;
},
__wbg_key_76125a528069feff: function(arg0, arg1) {
const ret = arg1.key;
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_length_186163212ffe79c3: function(arg0) {
const ret = arg0.length;
return ret;
},
__wbg_length_9aab85334c5daf3f: function(arg0) {
const ret = arg0.length;
return ret;
},
__wbg_length_b03a0fabb109b1e9: function(arg0) {
const ret = arg0.length;
return ret;
},
__wbg_location_7320782274fc691b: function(arg0) {
const ret = arg0.location;
return ret;
},
__wbg_new_787b9fb330d55d78: function(arg0, arg1) {
const ret = new Error(getStringFromWasm0(arg0, arg1));
return ret;
},
__wbg_new_typed_e09da9dae6ee5935: function(arg0, arg1) {
try {
var state0 = {a: arg0, b: arg1};
var cb0 = (arg0, arg1) => {
const a = state0.a;
state0.a = 0;
try {
return wasm_bindgen__convert__closures_____invoke__h00f272247694202a(a, state0.b, arg0, arg1);
} finally {
state0.a = a;
}
};
const ret = new Promise(cb0);
return ret;
} finally {
state0.a = 0;
}
},
__wbg_new_with_byte_offset_and_length_3cd32055a417f095: function(arg0, arg1, arg2) {
const ret = new Uint8Array(arg0, arg1 >>> 0, arg2 >>> 0);
return ret;
},
__wbg_nextSibling_91136dc7a8ec9b09: function(arg0) {
const ret = arg0.nextSibling;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_ok_670a05555db5f713: function(arg0) {
const ret = arg0.ok;
return ret;
},
__wbg_open_231cf34b636a3195: function(arg0) {
const ret = arg0.open;
return ret;
},
__wbg_parentNode_fe15bcc26df42856: function(arg0) {
const ret = arg0.parentNode;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbg_pathname_d8b20b8ef226920e: function(arg0, arg1) {
const ret = arg1.pathname;
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_preventDefault_cfb06b02e7406899: function(arg0) {
arg0.preventDefault();
},
__wbg_querySelectorAll_bd785907acdf7800: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.querySelectorAll(getStringFromWasm0(arg1, arg2));
return ret;
}, arguments); },
__wbg_querySelector_1555c239948f2bf0: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.querySelector(getStringFromWasm0(arg1, arg2));
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
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
__wbg_redirected_f6975756fc89c2ab: function(arg0) {
const ret = arg0.redirected;
return ret;
},
__wbg_removeAttribute_735f25a801a701e1: function() { return handleError(function (arg0, arg1, arg2) {
arg0.removeAttribute(getStringFromWasm0(arg1, arg2));
}, arguments); },
__wbg_removeEventListener_4e20bd5fac3de092: function() { return handleError(function (arg0, arg1, arg2, arg3) {
arg0.removeEventListener(getStringFromWasm0(arg1, arg2), arg3);
}, arguments); },
__wbg_remove_8228e91d7ddbc755: function(arg0) {
arg0.remove();
},
__wbg_remove_b28d816f9e896ff9: function(arg0) {
arg0.remove();
},
__wbg_resolve_dbf78ab4942478b0: function(arg0) {
const ret = Promise.resolve(arg0);
return ret;
},
__wbg_respond_d97c023ee981d1f5: function() { return handleError(function (arg0, arg1) {
arg0.respond(arg1 >>> 0);
}, arguments); },
__wbg_scrollIntoView_168afe76e10ce285: function(arg0, arg1) {
arg0.scrollIntoView(arg1 !== 0);
},
__wbg_search_63873d2833ed0830: function(arg0, arg1) {
const ret = arg1.search;
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_select_6daf0a771fc1452a: function(arg0) {
arg0.select();
},
__wbg_setAttribute_f75317b2b5cabfb4: function() { return handleError(function (arg0, arg1, arg2, arg3, arg4) {
arg0.setAttribute(getStringFromWasm0(arg1, arg2), getStringFromWasm0(arg3, arg4));
}, arguments); },
__wbg_setTimeout_9ef22b48643bd7de: function() { return handleError(function (arg0, arg1, arg2) {
const ret = arg0.setTimeout(arg1, arg2);
return ret;
}, arguments); },
__wbg_set_2793479888329cb6: function() { return handleError(function (arg0, arg1, arg2) {
const ret = Reflect.set(arg0, arg1, arg2);
return ret;
}, arguments); },
__wbg_set_feb3714f475485ba: function(arg0, arg1, arg2) {
arg0.set(getArrayU8FromWasm0(arg1, arg2));
},
__wbg_set_id_861bcd7afe9f86ad: function(arg0, arg1, arg2) {
arg0.id = getStringFromWasm0(arg1, arg2);
},
__wbg_set_innerHTML_a9d3a267967b5117: function(arg0, arg1, arg2) {
arg0.innerHTML = getStringFromWasm0(arg1, arg2);
},
__wbg_set_nodeValue_7e9217115013d873: function(arg0, arg1, arg2) {
arg0.nodeValue = arg1 === 0 ? undefined : getStringFromWasm0(arg1, arg2);
},
__wbg_showModal_03450d22087f2f44: function() { return handleError(function (arg0) {
arg0.showModal();
}, arguments); },
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
__wbg_static_accessor___INCOMPLETE_CHUNKS_008a735b586f18c2: function() {
const ret = __INCOMPLETE_CHUNKS;
return ret;
},
__wbg_static_accessor___RESOLVED_RESOURCES_4670704afc0e00a2: function() {
const ret = __RESOLVED_RESOURCES;
return ret;
},
__wbg_static_accessor___SERIALIZED_ERRORS_8c0ce895061021eb: function() {
const ret = __SERIALIZED_ERRORS;
return ret;
},
__wbg_target_e5cd9c7aa87dd8df: function(arg0) {
const ret = arg0.target;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
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
__wbg_value_df0a0e29a4d182fe: function(arg0, arg1) {
const ret = arg1.value;
const ptr1 = passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
const len1 = WASM_VECTOR_LEN;
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
},
__wbg_view_3b708d3bdaf3fc96: function(arg0) {
const ret = arg0.view;
return isLikeNone(ret) ? 0 : addToExternrefTable0(ret);
},
__wbindgen_generic_0000000000000001: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [Externref], shim_idx: 185, ret: Result(Unit), inner_ret: Some(Result(Unit)) }, mutable: true }) -> Externref`.
const ret = makeMutClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__h40a7b3091017dec5);
return ret;
},
__wbindgen_generic_0000000000000002: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [Externref], shim_idx: 231, ret: Unit, inner_ret: Some(Unit) }, mutable: true }) -> Externref`.
const ret = makeMutClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__h09a30c44532ae322);
return ret;
},
__wbindgen_generic_0000000000000003: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [NamedExternref("Event")], shim_idx: 231, ret: Unit, inner_ret: Some(Unit) }, mutable: true }) -> Externref`.
const ret = makeMutClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__h09a30c44532ae322_15);
return ret;
},
__wbindgen_generic_0000000000000004: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [], shim_idx: 175, ret: Unit, inner_ret: Some(Unit) }, mutable: true }) -> Externref`.
const ret = makeMutClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__hf894d9282c0a760e);
return ret;
},
__wbindgen_generic_0000000000000005: function(arg0, arg1) {
// Cast intrinsic for `Closure(Closure { owned: true, function: Function { arguments: [], shim_idx: 177, ret: Unit, inner_ret: Some(Unit) }, mutable: false }) -> Externref`.
const ret = makeClosure(arg0, arg1, wasm_bindgen__convert__closures_____invoke__h6c64a8f98d131772);
return ret;
},
__wbindgen_generic_0000000000000006: function(arg0, arg1) {
// Cast intrinsic for `Ref(String) -> Externref`.
const ret = getStringFromWasm0(arg0, arg1);
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

function wasm_bindgen__convert__closures_____invoke__hf894d9282c0a760e(arg0, arg1) {
wasm.wasm_bindgen__convert__closures_____invoke__hf894d9282c0a760e(arg0, arg1);
}

function wasm_bindgen__convert__closures_____invoke__h6c64a8f98d131772(arg0, arg1) {
wasm.wasm_bindgen__convert__closures_____invoke__h6c64a8f98d131772(arg0, arg1);
}

function wasm_bindgen__convert__closures_____invoke__h09a30c44532ae322(arg0, arg1, arg2) {
wasm.wasm_bindgen__convert__closures_____invoke__h09a30c44532ae322(arg0, arg1, arg2);
}

function wasm_bindgen__convert__closures_____invoke__h09a30c44532ae322_15(arg0, arg1, arg2) {
wasm.wasm_bindgen__convert__closures_____invoke__h09a30c44532ae322_15(arg0, arg1, arg2);
}

function wasm_bindgen__convert__closures_____invoke__h40a7b3091017dec5(arg0, arg1, arg2) {
const ret = wasm.wasm_bindgen__convert__closures_____invoke__h40a7b3091017dec5(arg0, arg1, arg2);
if (ret[1]) {
throw takeFromExternrefTable0(ret[0]);
}
}

function wasm_bindgen__convert__closures_____invoke__h00f272247694202a(arg0, arg1, arg2, arg3) {
wasm.wasm_bindgen__convert__closures_____invoke__h00f272247694202a(arg0, arg1, arg2, arg3);
}


const __wbindgen_enum_ReadableStreamType = ["bytes"];
const IntoUnderlyingByteSourceFinalization = (typeof FinalizationRegistry === 'undefined')
? { register: () => {}, unregister: () => {} }
: new FinalizationRegistry(ptr => wasm.__wbg_intounderlyingbytesource_free(ptr, 1));
const IntoUnderlyingSinkFinalization = (typeof FinalizationRegistry === 'undefined')
? { register: () => {}, unregister: () => {} }
: new FinalizationRegistry(ptr => wasm.__wbg_intounderlyingsink_free(ptr, 1));
const IntoUnderlyingSourceFinalization = (typeof FinalizationRegistry === 'undefined')
? { register: () => {}, unregister: () => {} }
: new FinalizationRegistry(ptr => wasm.__wbg_intounderlyingsource_free(ptr, 1));

function addToExternrefTable0(obj) {
                    const idx = wasm.__externref_table_alloc();
                    wasm.__wbindgen_externrefs.set(idx, obj);
                    return idx;
                }

const CLOSURE_DTORS = (typeof FinalizationRegistry === 'undefined')
                        ? { register: () => {}, unregister: () => {} }
                        : new FinalizationRegistry(state => wasm.__wbindgen_destroy_closure(state.a, state.b));

function debugString(val) {
                switch (typeof val) {
                    // primitive types
                    case 'number':
                    case 'boolean':
                    case 'undefined':
                        return `${val}`;
                    case 'string':
                        return JSON.stringify(val);
                    case 'bigint':
                        return `${val}n`;
                    case 'symbol':
                        return val.description !== undefined
                            ? `Symbol(${val.description})`
                            : 'Symbol';
                    case 'function':
                        return typeof val.name === 'string' && val.name !== ''
                            ? `Function(${val.name})`
                            : 'Function';
                    case 'object': {
                        if (val === null) {
                            return 'null';
                        }
                        // objects
                        if (Array.isArray(val)) {
                            return '[' + Array.from(val, debugString).join(', ') + ']';
                        }
                        // errors
                        if (val instanceof Error) {
                            return `${val.name}: ${val.message}\n${val.stack}`;
                        }

                        const toStringOutput = toString.call(val);
                        // Test for built-in
                        const className = /\[object ([^\]]+)\]/.exec(toStringOutput)?.[1];

                        // Failed to match the standard '[object ClassName]'
                        if (className === undefined) {
                            return toStringOutput;
                        }
                        if (className === 'Object') {
                            // we're a user defined class or Object
                            // JSON.stringify avoids problems with cycles, and is generally much
                            // easier than looping through ownProperties of `val`.
                            try {
                                return 'Object(' + JSON.stringify(val) + ')';
                            } catch (_) {
                                return 'Object';
                            }
                        }
                        // TODO we could test for more things here, like `Set`s and `Map`s.
                        return className;
                    }
                    // Per MDN: 'This list of values is exhaustive.'
                    // https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Operators/typeof#description
                }
            }

function getArrayU8FromWasm0(ptr, len) {
                    ptr = ptr >>> 0;
                    return getUint8ArrayMemory0().subarray(ptr / 1, ptr / 1 + len);
                }

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

function makeClosure(arg0, arg1, f) {
                    const state = { a: arg0, b: arg1, cnt: 1 };
                    const real = (...args) => {
                        
                        // First up with a closure we increment the internal reference
                        // count. This ensures that the Rust closure environment won't
                        // be deallocated while we're invoking it.
                        state.cnt++;
                        try {
                            return f(state.a, state.b, ...args);
                        } finally {
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