// What values look like, for notebooks: forms of covec.h as texts of Python.
#include <string_view>
#include <utility>

#include "array.hpp"
#include "session.hpp"

namespace covec::python {

namespace {

Ref failed(const covec_session* session) {
  raise_error(session);
  return {};
}

// A str, or bytes of a picture of pixels; None: the value has no such form. Null with an exception.
Ref form_of(covec_session* session, covec_value* value, covec_form form) {
  Handle shown;
  covec_view view;
  const char* text = nullptr;
  size_t bytes = 0;
  if (covec_display(session, value, form, shown.out()) != COVEC_OK) return failed(session);
  if (shown.get() == nullptr) return Ref::to(Py_None);
  if (form == COVEC_PNG) {
    if (covec_look(session, shown.get(), &view) != COVEC_OK) return failed(session);
    return Ref(PyBytes_FromStringAndSize(static_cast<const char*>(view.data), view.dims[0]));
  }
  if (covec_get_string(session, shown.get(), &text, &bytes) != COVEC_OK) return failed(session);
  return Ref(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(bytes), "replace"));
}

// The forms of a value by their MIME types; `text` is that of text/plain.
Ref forms_of(covec_session* session, covec_value* value, PyObject* text) {
  static constexpr std::pair<covec_form, const char*> others[] = {{COVEC_HTML, "text/html"},
                                                                  {COVEC_SVG, "image/svg+xml"}};
  Ref forms(PyDict_New());
  if (!forms || PyDict_SetItemString(forms.get(), "text/plain", text) < 0) return {};
  for (const auto& [form, type] : others) {
    const Ref made = form_of(session, value, form);
    if (!made || (made.get() != Py_None && PyDict_SetItemString(forms.get(), type, made.get()) < 0)) return {};
  }
  return forms;
}

}  // namespace

void show_value(void* user, covec_session* handle, covec_value* value, const char* text, size_t bytes) {
  if (_Py_IsFinalizing()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Session& session = *static_cast<Session*>(user);
  const Ref function = Ref::to(session.display);
  if (!function) {
    write_out(user, COVEC_STDOUT, text, bytes);
  } else if (session.thrown == nullptr) {
    const Ref without_end(PyUnicode_DecodeUTF8(text, bytes > 0 ? static_cast<Py_ssize_t>(bytes) - 1 : 0, "replace"));
    const Ref forms = without_end ? forms_of(handle, value, without_end.get()) : Ref();
    const Ref done(forms ? PyObject_CallOneArg(function.get(), forms.get()) : nullptr);
    if (!done) keep_exception(session);
  }
  PyGILState_Release(state);
}

PyObject* display_dict(PyObject* self, PyObject* arguments) {
  static constexpr std::pair<std::string_view, covec_form> forms[] = {
      {"text", COVEC_TEXT}, {"html", COVEC_HTML}, {"svg", COVEC_SVG}, {"png", COVEC_PNG}};
  PyObject* dict = nullptr;
  const char* name = nullptr;
  int is_table = 0;
  if (PyArg_ParseTuple(arguments, "O!sp:_display", &PyDict_Type, &dict, &name, &is_table) == 0) return nullptr;
  Use use(*reinterpret_cast<Session*>(self));
  Handle value;
  if (!use || !(is_table != 0 ? table_to_covec(use, dict, value.out()) : to_covec(use, dict, value.out())))
    return nullptr;
  for (const auto& [known, form] : forms) {
    if (known == name) return form_of(use.handle(), value.get(), form).release();
  }
  PyErr_Format(PyExc_ValueError, "there is no form %s", name);
  return nullptr;
}

// None, too, where the session is closed or in use: the array is shown as text then.
PyObject* html_of_array(PyObject* self, PyObject*) {
  const Holder& holder = array_of(self).holder;
  Use use(*holder.session);
  if (!use) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  return form_of(use.handle(), holder.value, COVEC_HTML).release();
}

}  // namespace covec::python
